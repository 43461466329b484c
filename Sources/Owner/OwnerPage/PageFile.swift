package import Base
import OwnerScreens

/// The static files of the web page for the gateway's owners.
package enum PageFile: Hashable, Sendable, CaseIterable {
  case document
  case style
  case script

  package var type: String {
    switch self {
    case .document: "text/html; charset=utf-8"
    case .style: "text/css; charset=utf-8"
    case .script: "text/javascript; charset=utf-8"
    }
  }

  package func text(in language: Language) -> String {
    switch self {
    case .document: Self.filled(Self.text(PackageResources.page_html), language)
    // A report on the page uses the same style sheet as a report in a separate file.
    case .style: PrivacyReport.style + "\n" + Self.text(PackageResources.page_css)
    case .script: Self.text(PackageResources.page_js)
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Replaces each phrase name in braces, as in `{{page.skip}}`, by the text of the phrase.
  static func filled(_ document: String, _ language: Language) -> String {
    var text = ""
    var rest = document[...]
    while let start = rest.firstRange(ofText: "{{"), let end = rest[start.upperBound...].firstRange(ofText: "}}") {
      text += rest[..<start.lowerBound]
      let name = String(rest[start.upperBound..<end.lowerBound])
      // The name of an unknown phrase remains in the text, so that a test detects the name.
      text += phrase(name, language).map(Markup.escaped) ?? "{{\(name)}}"
      rest = rest[end.upperBound...]
    }
    return text + rest
  }

  private static func phrase(_ name: String, _ language: Language) -> String? {
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count == 2 ? parts[1] : "") {
    case ("language", ""): return language.rawValue
    case ("page", let word): return PagePhrase(rawValue: word)?.text(in: language)
    case ("status", let word): return StatusPhrase(rawValue: word)?.text(in: language)
    case ("accuracy", let word): return AccuracyPhrase(rawValue: word)?.text(in: language)
    case ("app", "status"): return AppPhrase.status.text(in: language)
    case ("app", "app"): return AppPhrase.app.text(in: language)
    case ("app", "accuracy"): return AppPhrase.accuracy.text(in: language)
    case ("app", "now"): return AppPhrase.now.text(in: language)
    case ("app", "none"): return AppPhrase.noApps.text(in: language)
    case ("log", "log"): return GatewayPhrase.log.text(in: language)
    case ("log", "time"): return LogPhrase.time.text(in: language)
    case ("log", "entry"): return LogPhrase.entry.text(in: language)
    case ("log", "what"): return LogPhrase.what.text(in: language)
    case ("log", "none"): return LogPhrase.noEntries.text(in: language)
    case ("news", "nothingAsked"): return NotificationPhrase.nothingAsked.text(in: language)
    default: return nil
    }
  }
}

extension Language {
  /// Selects the supported language that a browser prefers; nil if the browser lists no supported language. (RFC 9110
  /// §12.5.4)
  /// - Parameter header: The value of the header `Accept-Language`, as in `de-CH, de;q=0.9, en;q=0.8`.
  package init?(accepted header: String) {
    var best: (language: Language, weight: Double)?
    for range in header.prefix(512).split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let tag = parts.first, let language = Language(locale: tag) else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      if weight > 0, weight > best?.weight ?? 0 { best = (language, weight) }
    }
    guard let best else { return nil }
    self = best.language
  }
}
