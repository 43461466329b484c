import Base
import LineProtocol
import Logging
import OperatingSystem
import StateStore

/// Maintains the disclosure log (the log of fixes sent to apps): verifies the log, removes old entries, and writes the
/// anchor (a separate record of the end of the log). The type also counts requests that ended without a fix.
struct LogUpkeep {
  /// The condition of the disclosure log (the log of fixes sent to apps) after the last verification or maintenance.
  enum Condition: Hashable {
    /// The disclosure log (the log of fixes sent to apps) has not been verified since the start of the daemon.
    case unchecked
    case good
    /// Another program changed the disclosure log (the log of fixes sent to apps). The value is the first fault found.
    /// The gateway can still add new entries.
    case broken(LogFault)
    /// The disclosure log (the log of fixes sent to apps) could not be read. The value is the text of the error.
    case unreadable(String)
    /// The last maintenance failed: the removal of old entries, the anchor (the record of the end of the log), or the
    /// counts of requests. The value is the text of the error.
    case unmaintained(String)

    var isFaulty: Bool {
      switch self {
      case .unchecked, .good: false
      case .broken, .unreadable, .unmaintained: true
      }
    }
  }

  private(set) var condition = Condition.unchecked
  /// The faults of the disclosure log (the log of fixes sent to apps) for which the daemon has already logged a
  /// warning.
  private var reported: Set<LogFault> = []
  /// The unsaved counts of requests that ended without a fix. The key has the hour or the day, the app, and the answer
  /// that the app got.
  private var answers: [AnswerKey: Int] = [:]
  private var clockTrust = ClockTrust()
  /// The state of the present removal of old entries; nil if no removal is in progress.
  private var pruning: LogPruning?
  /// The time at which an earlier run of the daemon last wrote the anchor (the record of the end of the log); nil if
  /// there is no anchor.
  private let anchored: UTCTime?
  /// The fault of the wall clock for which the daemon has already logged a message; nil if the clock was right at the
  /// last maintenance.
  private var reportedClock: ClockFault?

  init(anchored: UTCTime? = nil) { self.anchored = anchored }

  /// Whether the disclosure log (the log of fixes sent to apps) must be verified before the next maintenance. The
  /// condition of the log is unknown, or the cause of an earlier error can be over.
  var needsVerification: Bool {
    switch condition {
    case .unchecked, .unreadable, .unmaintained: true
    case .good, .broken: false
    }
  }

  mutating func count(_ answer: AnswerKey) { answers[answer, default: 0] += 1 }

  /// Returns the counts of requests that ended without a fix, both saved and unsaved. The key has the hour or the day,
  /// the app, and the answer that the app got.
  func answers(since: UTCTime?, in store: StateStore) throws(StoreError) -> [(key: AnswerKey, count: Int)] {
    var counts = answers.filter { $0.key.period >= since?.hour ?? "" }
    for (key, count) in try store.answers(since: since) { counts[key, default: 0] += count }
    return counts.sorted { ($0.key.period, $0.key.app, $0.key.answer) < ($1.key.period, $1.key.app, $1.key.answer) }
      .map { ($0.key, $0.value) }
  }

  /// Returns the sign that the wall clock of this machine is wrong; nil if there is none.
  /// - Parameter received: The time of a receiver on this board; nil if unknown, simulated or recorded.
  func clockFault(at now: ClockReading, received: UTCTime?) -> ClockFault? {
    ClockFault(now, anchored: anchored, received: received)
  }

  /// Performs one maintenance: logs a wrong wall clock, saves the counts of requests without a fix, and begins to
  /// remove old log entries. The function also writes the anchor (the record of the end of the log).
  /// - Parameters:
  ///   - received: The time of a receiver that does not take its time from this machine; nil if there is none.
  ///   - fault: The sign that the wall clock is wrong; nil if there is none.
  ///   - retention: The age at which an entry is removed.
  mutating func maintain(
    received: UTCTime?, clock fault: ClockFault? = nil, _ retention: Duration, _ writer: inout StoreWriter,
    _ outputs: inout Outputs
  ) {
    if let fault, fault != reportedClock { outputs.log(fault.message) }
    reportedClock = fault
    let unsavedAnswers = answers
    do {
      try writer.write(.upkeep) { store, clock throws(StoreError) in
        try store.addAnswers(unsavedAnswers, now: clock.utc)
      }
      answers = [:]
    } catch {
      note(.unmaintained("\(error)"), error, &outputs)
    }
    let now = writer.now
    if clockTrust.trusts(now, received: received) {
      pruning = LogPruning(before: now.utc(at: now.monotonic - retention), floor: UTCTime.firstGateways)
      prune(&writer, &outputs)
    }
    do {
      let fault = try writer.write(.upkeep) { store, clock throws(StoreError) in try store.anchor(now: clock) }
      if let fault { note(fault, &outputs) }
    } catch {
      note(.unmaintained("\(error)"), error, &outputs)
    }
  }

  /// Whether old entries are left for the next call of `prune`.
  var isPruning: Bool { pruning != nil }

  /// Removes the next old entries, at most `LogKeeper.entriesAtOnce`.
  mutating func prune(_ writer: inout StoreWriter, _ outputs: inout Outputs) {
    guard var next = pruning else { return }
    pruning = nil
    do {
      try writer.write(.upkeep) { store, clock throws(StoreError) in
        try store.continuePruning(&next, most: LogKeeper.entriesAtOnce, now: clock)
      }
    } catch {
      return note(.unmaintained("\(error)"), error, &outputs)
    }
    if !next.isOver {
      pruning = next
    } else if next.removed > 0 {
      outputs.log(.store, .notice, "old entries of the log were pruned", ["count": "\(next.removed)"])
    }
  }

  // MARK: The condition

  /// Stores the result of a verification in `condition`, and logs a new fault.
  mutating func note(_ verification: LogVerification, _ outputs: inout Outputs) {
    guard let fault = verification.faults.first else {
      condition = .good
      reported = []
      return
    }
    condition = .broken(fault)
    note(fault, &outputs)
  }

  private mutating func note(_ fault: LogFault, _ outputs: inout Outputs) {
    // If several faults are found, `condition` keeps the first one.
    if case .broken = condition {} else { condition = .broken(fault) }
    guard reported.insert(fault).inserted else { return }
    outputs.log(
      .store, .warning, "the log of disclosures is broken: the log or one of its files was changed",
      ["fault": "\(fault)", "remedy": "onefix log --verify lists all faults; the gateway continues to serve"])
  }

  /// Stores in `condition` that the disclosure log (the log of fixes sent to apps) could not be read, and logs the
  /// error.
  mutating func note(unreadable error: StoreError, _ outputs: inout Outputs) {
    note(.unreadable("\(error)"), error, &outputs)
  }

  private mutating func note(_ condition: Condition, _ error: StoreError, _ outputs: inout Outputs) {
    guard self.condition != condition else { return }
    if case (.unreadable, .unmaintained) = (self.condition, condition) { return }
    if case .broken = self.condition {} else { self.condition = condition }
    outputs.log(.store, .warning, "cannot maintain the log of disclosures", ["cause": "\(error)"])
  }

  func addStatus(to fields: inout ServerLine.Fields) {
    switch condition {
    case .unchecked: fields["log"] = "unchecked"
    case .good: fields["log"] = "good"
    case .unreadable:
      fields["log"] = "failing"
      fields["log-fault"] = "unreadable"
    case .unmaintained:
      fields["log"] = "failing"
      fields["log-fault"] = "untended"
    case .broken(let fault):
      fields["log"] = "broken"
      fields["log-fault"] = fault.name
      fields["log-entry"] = fault.entry.map { "\($0)" }
    }
  }
}
