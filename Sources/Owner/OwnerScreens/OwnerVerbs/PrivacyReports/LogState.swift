import Base
package import LineProtocol

/// The result of the integrity check of the disclosure log (the log of each fix sent to an app), as the gateway reports
/// the result.
package struct LogState: Sendable {
  private let fields: ServerLine.Fields

  package init(_ fields: ServerLine.Fields) { self.fields = fields }

  package var isGood: Bool { fields["state"] == "good" }

  /// Returns the result of the integrity check of the log, as a text for users.
  func text(_ formatter: TextFormatter) -> String {
    let state = isGood ? formatter.text(GatewayPhrase.logGood) : formatter.text(ReportPhrase.broken)
    guard let count = fields["entries"], let first = fields["first"], let last = fields["last"] else {
      return formatter.list([state, formatter.text(LogPhrase.noEntries)])
    }
    return formatter.text(ReportPhrase.entries, [.value: state, .count: count, .text: "#\(first)–#\(last)"])
  }

  /// The result of the integrity check of the log with all details, for the command `onefix log --verify`.
  package var text: String {
    var text = isGood ? "good: " : "broken: "
    switch (fields["entries"] ?? "0", fields["first"], fields["last"]) {
    case (let count, let first?, let last?): text += "\(count) entries, #\(first) to #\(last)"
    default: text += "no entries"
    }
    if let pruned = fields["pruned"], pruned != "0" { text += "; pruned up to #\(pruned)" }
    if let anchored = fields["anchored"], let time = fields["anchor-time"] {
      text += "; anchored up to #\(anchored) at \(time)"
    }
    return text
  }
}
