import Authorization
import Clocks
import LineProtocol
import Logging
import StateStore
import OperatingSystem

/// What the gateway knows of the log of disclosures.
struct LogKeeping {
  enum Condition: Hashable {
    /// It has not been looked through since the start.
    case unchecked
    case good
    /// With the first fault. The gateway goes on: what it writes from now on can still be verified.
    case broken(LogFault)
    /// It cannot be read.
    case unreadable(String)
    /// It cannot be looked after: its counts be written, it be pruned or anchored.
    case untended(String)
  }

  var condition = Condition.unchecked
  /// What was logged already.
  var told: Set<LogFault> = []
  /// Requests that came to no fix, since they were last written.
  var answers: [AnswerKey: Int] = [:]
  var clockTrust = ClockTrust()
}

/// The log is verified at the start, and anchored and pruned hourly and at the end.
extension Gateway {
  static let logRhythm: Duration = .seconds(3600)
  /// Entries that are looked at before others have their turn.
  static let verifiedAtOnce = 200

  /// Until the surrounding task is cancelled. Where something failed, the log is looked through once more with the next
  /// hour's work: a disk has its moments.
  func keepLog() async {
    do {
      while true {
        try await lookAfterLog()
        try await SystemClock.sleep(until: SystemClock.monotonic + Self.logRhythm)
      }
    } catch {
      // That is how it is asked to stop.
    }
  }

  /// An hour's work.
  func lookAfterLog() async throws {
    do {
      switch logKeeping.condition {
      case .unchecked, .unreadable, .untended: note(try await verifyLog())
      case .good, .broken: break
      }
    } catch let error as StoreError {
      noteFailingLog(.unreadable("\(error)"), error)
    }
    tendLog()
  }

  func verifyLog() async throws -> LogVerification {
    var verifier = try store.beginVerification()
    while try store.continueVerification(&verifier, entries: Self.verifiedAtOnce) {
      await Task.yield()
      try Task.checkCancellation()
    }
    return verifier.result
  }

  func note(_ verification: LogVerification) {
    if let fault = verification.faults.first {
      logKeeping.condition = .broken(fault)
      noteBrokenLog(fault)
    } else {
      logKeeping.condition = .good
      logKeeping.told = []
    }
  }

  private func noteBrokenLog(_ fault: LogFault) {
    // The first that was found stays the one that is told.
    if case .broken = logKeeping.condition {} else { logKeeping.condition = .broken(fault) }
    guard logKeeping.told.insert(fault).inserted else { return }
    loggers.store.warning(
      "the log of disclosures is broken: somebody changed it, or a file of it",
      metadata: ["fault": "\(fault)", "remedy": "onefix log --verify tells all; the gateway goes on"])
  }

  private func noteFailingLog(_ condition: LogKeeping.Condition, _ error: any Error) {
    guard logKeeping.condition != condition else { return }
    // What cannot be read cannot be looked after either.
    if case (.unreadable, .untended) = (logKeeping.condition, condition) { return }
    if case .broken = logKeeping.condition {} else { logKeeping.condition = condition }
    loggers.store.warning("the log of disclosures cannot be looked after", metadata: ["cause": "\(error)"])
  }

  /// What is done hourly, and at the end.
  func tendLog() {
    do {
      try timed(.upkeep) { try store.addAnswers(logKeeping.answers) }
      logKeeping.answers = [:]
    } catch {
      noteFailingLog(.untended("\(error)"), error)
    }
    do {
      let now = clock
      let received = reception.latest.flatMap { $0.utc(at: now.monotonic) }
      let isTrusted = logKeeping.clockTrust.trusts(now, received: received)
      let oldest = now.utc(at: now.monotonic - policy.logRetention)
      let removed =
        isTrusted
        ? try timed(.upkeep) { try store.prune(before: oldest, floor: UTCTime.firstGateways, now: now) } : 0
      if removed > 0 { loggers.store.notice("old entries of the log were pruned", metadata: ["count": "\(removed)"]) }
    } catch {
      noteFailingLog(.untended("\(error)"), error)
    }
    do {
      if let fault = try timed(.upkeep, { try store.anchor(now: clock) }) { noteBrokenLog(fault) }
    } catch {
      noteFailingLog(.untended("\(error)"), error)
    }
  }

  /// Counts a request that came to no fix.
  /// - Parameter answer: what the app was told, as in `no-press`.
  func count(_ answer: String, for app: AppID?) {
    guard let app else { return }
    counts.refusals[Counts.Pair(app: metricName(of: app), what: answer), default: 0] += 1
    logKeeping.answers[AnswerKey(day: clock.utc.day, app: app, answer: answer), default: 0] += 1
  }

  // MARK: What owners ask

  func tellVerification(tag: String?) async throws -> (faults: [String], reply: ServerLine.Fields) {
    let verification = try await verifyLog()
    note(verification)
    var fields: ServerLine.Fields = [
      "state": verification.isGood ? "good" : "broken", "entries": "\(verification.count)",
    ]
    fields["first"] = verification.range.map { "\($0.lowerBound)" }
    fields["last"] = verification.range.map { "\($0.upperBound)" }
    fields["pruned"] = "\(verification.pruned)"
    fields["anchored"] = verification.anchor.map { "\($0.sequence)" }
    fields["anchor-time"] = verification.anchor?.time.iso8601
    return (verification.faults.map(\.json), fields)
  }

  /// Those that are written, and those that are not yet.
  func answers(since: UTCTime?) throws -> [(key: AnswerKey, count: Int)] {
    var counts = logKeeping.answers.filter { $0.key.day >= since?.day ?? "" }
    for (key, count) in try store.answers(since: since) { counts[key, default: 0] += count }
    return counts.sorted { ($0.key.day, $0.key.app, $0.key.answer) < ($1.key.day, $1.key.app, $1.key.answer) }
      .map { ($0.key, $0.value) }
  }

  func addLogStatus(to fields: inout ServerLine.Fields) {
    switch logKeeping.condition {
    case .unchecked: fields["log"] = "unchecked"
    case .good: fields["log"] = "good"
    case .unreadable:
      fields["log"] = "failing"
      fields["log-fault"] = "unreadable"
    case .untended:
      fields["log"] = "failing"
      fields["log-fault"] = "untended"
    case .broken(let fault):
      fields["log"] = "broken"
      fields["log-fault"] = fault.name
      fields["log-entry"] = fault.entry.map { "\($0)" }
    }
  }
}

extension LogFault {
  fileprivate var json: String {
    var object = JSONObject()
    object.add("fault", name)
    object.add("entry", entry)
    object.add("text", description)
    return object.text
  }
}

extension AnswerKey {
  func json(count: Int) -> String {
    var object = JSONObject()
    object.add("day", day)
    object.add("app", app.name)
    object.add("answer", answer)
    object.add("count", count)
    return object.text
  }
}
