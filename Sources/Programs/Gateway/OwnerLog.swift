import Authorization
import Clocks
import LineProtocol
import StateStore

/// The log of disclosures in the messages and replies to owners.
extension LogEntry {
  /// The entry as JSON for owners. No entry contains coordinates.
  package var json: String {
    let members: JSONObject =
      switch event {
      case .disclosure(let disclosure): ["event": "disclosure"] + disclosure.json
      case .interval(let disclosure): ["event": "interval"] + disclosure.json
      case .end(let end, let fixes, let opening):
        ["event": "end", "of": opening, "outcome": end.rawValue, "fixes": fixes]
      case .outcome(let outcome, let disclosure):
        ["event": "outcome", "of": disclosure, "outcome": outcome.rawValue]
      case .answer(let answer): ["event": "answer"] + answer.json
      }
    return JSONObject.text(["entry": sequence, "time": time.iso8601, "app": app.name] + members)
  }
}

extension DisclosureEntry {
  fileprivate var json: JSONObject {
    [
      "accuracy": accuracy.rawValue, "right": right.rawValue, "transport": transport,
      "simulated": isSimulated ? true : nil, "late": isLate ? true : nil,
    ]
  }
}

extension AnswerEntry {
  fileprivate var json: JSONObject {
    [
      "accuracy": accuracy?.rawValue, "kind": prompt.rawValue, "choice": choice.rawValue, "says": purpose,
      "language": language, "by": way.name, "user": way.user.map { Int64($0) },
    ]
  }
}

extension LogFault {
  var json: String {
    JSONObject.text(["fault": name, "entry": entry, "text": description])
  }
}

extension AnswerKey {
  func json(count: Int) -> String {
    JSONObject.text(["day": day, "app": app.name, "answer": answer, "count": count])
  }
}

extension LogVerification {
  var fields: ServerLine.Fields {
    var fields: ServerLine.Fields = ["state": isGood ? "good" : "broken", "entries": "\(count)"]
    fields["first"] = range.map { "\($0.lowerBound)" }
    fields["last"] = range.map { "\($0.upperBound)" }
    fields["pruned"] = "\(pruned)"
    fields["anchored"] = anchor.map { "\($0.sequence)" }
    fields["anchor-time"] = anchor?.time.iso8601
    return fields
  }
}
