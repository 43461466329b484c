package import LineProtocol

/// The result of the verification of the gateway's log.
package struct LogState: Sendable {
  private let fields: ServerLine.Fields

  package init(_ fields: ServerLine.Fields) { self.fields = fields }

  package var isGood: Bool { fields["state"] == "good" }

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
