package import Base
import CResources
import OwnerScreens

/// The static files of the owners' web page. The raw value is the path in the URL.
package enum PageFile: String, Hashable, Sendable, CaseIterable {
  // The raw values are the targets of requests.
  case document = "/"
  case style = "/page.css"
  /// The main script of the page, which imports the modules `session` and `views`.
  case script = "/page.js"
  /// The JavaScript module that keeps the browser's session and sends the owner's commands.
  case session = "/session.js"
  /// The JavaScript module that creates the HTML elements of the page.
  case views = "/views.js"

  package var type: String {
    switch self {
    case .document: "text/html; charset=utf-8"
    case .style: "text/css; charset=utf-8"
    case .script, .session, .views: "text/javascript; charset=utf-8"
    }
  }

  package func text(in language: Language) -> String {
    switch self {
    case .document:
      // The names in the document are rows of the table of texts.
      filled(unsafe String(cString: onefix_page_html())) { name in
        name == "language" ? language.rawValue : Texts.row(name).map { Markup.escaped($0[language]) }
      }
    // A report on the page uses the same style sheet as a report in a separate file.
    case .style: PrivacyReport.style + "\n" + (unsafe String(cString: onefix_page_css()))
    case .script: unsafe String(cString: onefix_page_js())
    case .session: unsafe String(cString: onefix_session_js())
    case .views: unsafe String(cString: onefix_views_js())
    }
  }
}

extension Language {
  /// Chooses the language that a browser prefers among the supported languages; nil if the browser lists none of them
  /// (RFC 9110 §12.5.4).
  /// - Parameter header: The value of the header field `Accept-Language`, as in `de-CH, de;q=0.9, en;q=0.8`.
  package init?(accepted header: String) {
    var best: (language: Language, weight: Double)?
    for range in header.prefix(512).split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let tag = parts.first, let language = Language(locale: tag) else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      if weight > best?.weight ?? 0 { best = (language, weight) }
    }
    guard let best else { return nil }
    self = best.language
  }
}
