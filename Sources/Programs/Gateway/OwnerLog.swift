import Authorization
import Clocks
import LineProtocol
import Ports
import StateStore

/// The reply to a command that reads the log. The gateway handles other inputs while it reads.
struct LogReply {
  let tag: String?
  let connection: any ClientConnection

  /// Lists the latest entries, or the first entries after the entry `after`, oldest first.
  func list(
    _ since: UTCTime?, _ name: String?, _ limit: Int?, _ after: Int?, of gateway: isolated Gateway
  ) async throws {
    let app = name.flatMap { AppID($0) }
    var search = LogSearch(
      after: Int64(after ?? 0), since: since, app: app, newestFirst: after == nil,
      // The log has no entries for a name that is not a valid app id.
      limit: name != nil && app == nil ? 0 : limit ?? 1000)
    var entries: [LogEntry] = []
    while !search.isOver {
      entries += try gateway.router.log.continueSearch(&search)
      try await gateway.yield()
    }
    if after == nil { entries.reverse() }
    for (index, entry) in entries.enumerated() {
      if index > 0, index.isMultiple(of: LogKeeper.entriesAtOnce) { try await gateway.yield() }
      send(entry.json)
    }
    connection.send(.ok(tag: tag, ["count": "\(entries.count)"]))
  }

  func verify(_ gateway: isolated Gateway) async throws {
    let verification = try await LogMaintenance.verify(on: gateway)
    for fault in verification.faults { send(fault.json) }
    connection.send(.ok(tag: tag, verification.fields))
  }

  private func send(_ json: String) {
    connection.send(.message(.init(topic: Topic.ownerLog.rawValue, sid: "-", json: json)))
  }
}

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
