import Base
import LineProtocol
import Logging
import OperatingSystem
import StateStore

/// Maintains the disclosure log: verifies it, removes old entries, and writes its anchor (the record of the end of the
/// log). Also counts requests that ended without a fix.
struct LogUpkeep {
  /// The result of the last verification or maintenance of the disclosure log.
  enum Condition: Hashable {
    /// The disclosure log has not been verified since the start of the daemon.
    case unchecked
    case good
    /// Another program changed the disclosure log. The value is the first fault found. The gateway can still add new
    /// entries.
    case broken(LogFault)
    /// The disclosure log could not be read. The value is the cause.
    case unreadable(String)
    /// The gateway could not remove old entries, write the anchor (the record of the end of the disclosure log), or
    /// save the counts. The value is the cause.
    case unmaintained(String)

    var isFaulty: Bool {
      switch self {
      case .unchecked, .good: false
      case .broken, .unreadable, .unmaintained: true
      }
    }
  }

  private(set) var condition = Condition.unchecked
  /// The faults of the disclosure log about which the log of the daemon already has a message.
  private var reported: Set<LogFault> = []
  /// The counts of requests that ended without a fix, as far as they are not saved yet. The key has the hour or the
  /// day, the app, and the answer that the app got.
  private var answers: [AnswerKey: Int] = [:]
  private var clockTrust = ClockTrust()
  /// The position of the removal of old entries; nil if no removal is in progress.
  private var pruning: LogPruning?
  /// The time of the latest anchor (the record of the end of the disclosure log) from an earlier run; nil if there is
  /// none.
  private let anchored: UTCTime?
  /// The fault of the wall clock about which the log of the daemon already has a message; nil if the clock was right at
  /// the last maintenance.
  private var reportedClock: ClockFault?

  init(anchored: UTCTime? = nil) { self.anchored = anchored }

  /// Whether the disclosure log must be verified before the next maintenance. After an error of the disk, a new
  /// verification can succeed.
  var needsVerification: Bool {
    switch condition {
    case .unchecked, .unreadable, .unmaintained: true
    case .good, .broken: false
    }
  }

  /// Counts one request that ended without a fix.
  mutating func count(_ answer: AnswerKey) { answers[answer, default: 0] += 1 }

  /// Returns how many requests ended without a fix, including counts that are not saved yet. The key has the hour or
  /// the day, the app, and the answer that the app got.
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

  /// Logs a wrong wall clock, saves the counts, and begins the removal of old entries. Also writes the anchor (the
  /// record of the end of the disclosure log).
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

  /// Removes the next old entries.
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

  /// Records the result of a verification, and logs its first fault once.
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

  /// Records that the disclosure log could not be read.
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
