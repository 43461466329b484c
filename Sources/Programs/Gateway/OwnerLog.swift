import Authorization
import Base
import LineProtocol
import Ports
import StateStore

/// The reply to a command that reads the disclosure log (the log of fixes sent to apps). The log is read in steps, and
/// the gateway handles other events and commands between two steps.
struct LogReply {
  let tag: String?
  let connection: any ClientConnection

  /// Sends the newest log entries, or the first entries after the entry with the number `after`. Both lists begin with
  /// the oldest entry.
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
      entries += try gateway.router.disclosures.log.continueSearch(&search)
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

extension LogEntry {
  /// The log entry as a JSON message for owners (administrators).
  package var json: String {
    EntryMessage.json {
      $0.entry = Int(sequence)
      $0.time = time.iso8601
      $0.app = app.name
      switch event {
      case .disclosure(let disclosure):
        $0.event = "disclosure"
        disclosure.write(to: &$0)
      case .interval(let disclosure):
        $0.event = "interval"
        disclosure.write(to: &$0)
      case .end(let end, let fixes, let opening):
        $0.event = "end"
        ($0.of, $0.outcome, $0.fixes) = (Int(opening), end.rawValue, fixes)
      case .outcome(let outcome, let disclosure):
        $0.event = "outcome"
        ($0.of, $0.outcome) = (Int(disclosure), outcome.rawValue)
      case .rightEnd(let right, let status):
        $0.event = "right-end"
        ($0.right, $0.outcome) = (right.rawValue, status.rawValue)
      case .answer(let answer):
        $0.event = "answer"
        answer.write(to: &$0)
      }
    }
  }
}

extension DisclosureEntry {
  fileprivate func write(to message: inout EntryMessage) {
    message.accuracy = accuracy.rawValue
    message.right = right.rawValue
    message.transport = transport
    message.simulated = isSimulated ? true : nil
    message.late = isLate ? true : nil
  }
}

extension AnswerEntry {
  fileprivate func write(to message: inout EntryMessage) {
    message.accuracy = accuracy?.rawValue
    message.kind = prompt.rawValue
    message.choice = choice.rawValue
    message.says = purpose
    message.language = language
    message.by = way.name
    message.user = way.user.map { Int($0) }
  }
}

extension LogFault {
  var json: String {
    FaultMessage.json {
      $0.fault = name
      $0.entry = entry.map { Int($0) }
      $0.text = description
    }
  }
}

extension AnswerKey {
  func json(count: Int) -> String {
    CountMessage.json {
      $0.day = String(period.prefix(10))
      $0.hour = Int(period.dropFirst(11))
      $0.app = app.name
      $0.answer = answer
      $0.count = count
    }
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
