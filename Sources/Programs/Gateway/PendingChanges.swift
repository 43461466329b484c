import Authorization
import Base
import LineProtocol
import StateStore

/// The changes of authorizations, of the kill switch and of the outbox that are not durable yet. Each change stays here
/// until it is written. If a write fails, the changes are also copied to the runtime directory.
struct PendingChanges {
  private struct Decision {
    let app: AppID
    let event: LogEntry.Event
  }

  private struct Settlement {
    let fix: OutboxEntry
    let outcome: DisclosureOutcome
    let nextAttempt: MonotonicInstant
  }

  /// The time from a failed write until the next attempt.
  private static let retryTime = Duration.seconds(5)

  /// The records to write. If the record of an app was removed, the record of a new app is written in its place.
  private var records: [AppID: AppRecord] = [:]
  /// The new state of the kill switch; nil if the saved state is the present one.
  private var lock: Bool?
  /// The log entries about decisions, oldest first: answers to prompts, and ends of authorizations for a time.
  private var decisions: [Decision] = []
  /// The sealed values that must replace saved values which give more; nil for a value that must be erased.
  private var values: [String: [UInt8]?] = [:]
  /// The outcomes of fixes of the outbox whose writes failed.
  private var settlements: [Settlement] = []
  /// The ends of other disclosures whose writes failed, oldest first.
  private var ends: [LogEntry.Event] = []
  /// The instant of the next attempt to write `ends`; nil if there are none.
  private var nextAttemptOfEnds: MonotonicInstant?
  /// The instant of the next attempt to write the changes, apart from `settlements` and `ends`; nil if no write failed.
  private var nextAttempt: MonotonicInstant?

  /// The number of changes that must be written before the next disclosure, without the settlements and the ends.
  var count: Int { records.count + decisions.count + values.count + (lock == nil ? 0 : 1) }

  /// Whether a write failed, and not all changes were written since then.
  var isFailing: Bool { nextAttempt != nil && count > 0 }

  /// Whether the change of an app's record is not durable.
  func contains(_ app: AppID) -> Bool { records[app] != nil }

  /// Whether the change of the kill switch is not durable.
  var containsLock: Bool { lock != nil }

  /// Whether the revocation of a sealed value is not durable.
  func contains(value name: String) -> Bool { values.keys.contains(name) }

  /// The changes to copy to the runtime directory. Log entries are not copied.
  var unsaved: UnsavedChanges {
    UnsavedChanges(records: Array(records.values), isLocked: lock == true, values: values)
  }

  var nextDeadline: MonotonicInstant? {
    (settlements.map(\.nextAttempt) + [nextAttempt, nextAttemptOfEnds].compactMap(\.self)).min()
  }

  // MARK: Rights

  /// Saves records in one transaction.
  mutating func save(_ changed: [AppRecord], _ writer: inout StoreWriter) throws(StoreError) {
    for record in changed { records[record.app] = record }
    // The answer that gave an authorization is written before the authorization. A denial does not wait for the answer:
    // on a full disk, only the denial has reserved space.
    if changed.contains(where: { [.whenInUse, .always].contains($0.status) }) { try recordDecisions(&writer) }
    try writer.write(.right) { store, clock throws(StoreError) in try store.save(changed, now: clock) }
    for record in changed { records[record.app] = nil }
  }

  /// Removes the record of an app. If the removal fails, the record of a new app is saved later in its place.
  mutating func remove(asNew record: AppRecord, _ writer: inout StoreWriter) throws(StoreError) {
    records[record.app] = record
    try writer.write(.right) { store, _ throws(StoreError) in try store.remove(record.app) }
    records[record.app] = nil
  }

  mutating func saveLock(_ isLocked: Bool, _ writer: inout StoreWriter) throws(StoreError) {
    lock = isLocked
    try writer.write(.right) { store, _ throws(StoreError) in try store.saveLock(isLocked) }
    lock = nil
  }

  /// Saves a sealed value that gives less than the saved value, or erases the saved value.
  mutating func revoke(_ name: String, to bytes: [UInt8]?, _ writer: inout StoreWriter) throws(StoreError) {
    values.updateValue(bytes, forKey: name)
    try writer.write(.sealed) { store, _ throws(StoreError) in
      if let bytes { try store.seal(bytes, as: name, isRevocation: true) } else { try store.erase(name) }
    }
    values.removeValue(forKey: name)
  }

  /// Notes that a sealed value was saved.
  mutating func noteSaved(value name: String) { values.removeValue(forKey: name) }

  /// Writes an answer to a prompt, or the end of an authorization for a time, to the log.
  mutating func add(_ event: LogEntry.Event, of app: AppID, _ writer: inout StoreWriter) throws(StoreError) {
    decisions.append(Decision(app: app, event: event))
    try recordDecisions(&writer)
  }

  private mutating func recordDecisions(_ writer: inout StoreWriter) throws(StoreError) {
    while let first = decisions.first {
      try writer.write(.right) { store, clock throws(StoreError) in
        try store.record(first.event, of: first.app, now: clock)
      }
      decisions.removeFirst()
    }
  }

  /// Adds a record that the next log entry of its app saves.
  mutating func postpone(_ record: AppRecord) { records[record.app] = record }

  /// Returns the record of an app that is not durable yet; nil if there is none.
  func record(of app: AppID) -> AppRecord? { records[app] }

  /// Notes that a log entry has also saved the record of its app.
  mutating func noteSaved(_ app: AppID) { records[app] = nil }

  /// Writes all changes that may forbid a disclosure. On a full disk, some changes can be written and others cannot.
  /// For this reason, the function attempts all of them before it throws the first error. If another program keeps the
  /// database busy, each attempt takes two seconds, so the function ends with the first one.
  ///
  /// - Parameter app: The app whose record is written with the next log entry instead.
  mutating func saveAll(except app: AppID?, _ writer: inout StoreWriter) throws(StoreError) {
    var failure: StoreError?
    func attempt(_ write: () throws(StoreError) -> Void) throws(StoreError) {
      do { try write() } catch {
        failure = failure ?? error
        if error.kind == .busy { throw error }
      }
    }
    if let lock { try attempt { () throws(StoreError) in try saveLock(lock, &writer) } }
    for record in records.values where record.app != app {
      try attempt { () throws(StoreError) in try save([record], &writer) }
    }
    for (name, bytes) in values { try attempt { () throws(StoreError) in try revoke(name, to: bytes, &writer) } }
    try attempt { () throws(StoreError) in try recordDecisions(&writer) }
    // A withdrawn fix must not appear again after a restart, so the withdrawal is saved before the next disclosure.
    for settlement in settlements where settlement.outcome == .erased {
      try attempt { () throws(StoreError) in
        try Self.write(settlement.outcome, of: settlement.fix, &writer)
        settlements.removeAll { $0.fix.number == settlement.fix.number }
      }
    }
    if let failure { throw failure }
  }

  /// Schedules the next attempt after a failed write.
  mutating func retryLater(at now: MonotonicInstant) { nextAttempt = now + Self.retryTime }

  /// Repeats the failed writes whose time has come.
  mutating func retry(_ writer: inout StoreWriter, at now: MonotonicInstant) throws(StoreError) {
    retrySettlements(&writer, at: now)
    if let due = nextAttemptOfEnds, due <= now { _ = close([], &writer, at: now) }
    guard let due = nextAttempt, due <= now else { return }
    nextAttempt = nil
    try saveAll(except: nil, &writer)
  }

  // MARK: Outcomes

  /// Attempts to write all outcomes that are not durable, also those whose time has not come.
  mutating func writeOutcomes(_ writer: inout StoreWriter, at now: MonotonicInstant) {
    let unwritten = settlements
    settlements = []
    for settlement in unwritten { _ = settle(settlement.fix, settlement.outcome, &writer, at: now) }
    _ = close([], &writer, at: now)
  }

  /// Writes the ends of disclosures in one transaction, with the ends whose writes failed before. If the write fails, it
  /// is repeated later, unless the entry of a disclosure is damaged: that entry would prevent all later writes.
  ///
  /// - Returns: The error; nil if the ends are written, or if an earlier attempt failed too.
  mutating func close(
    _ events: [LogEntry.Event], _ writer: inout StoreWriter, at now: MonotonicInstant
  ) -> StoreError? {
    let isFirst = ends.isEmpty
    ends += events
    guard !ends.isEmpty else { return nil }
    do {
      try writer.write(.outcome) { [ends] store, clock throws(StoreError) in try store.close(ends, now: clock) }
      ends = []
      nextAttemptOfEnds = nil
      return nil
    } catch {
      if error.kind == .damaged { ends = [] }
      nextAttemptOfEnds = ends.isEmpty ? nil : now + Self.retryTime
      return isFirst ? error : nil
    }
  }

  /// Records the outcome of a fix. If the write fails, it is repeated later.
  ///
  /// - Returns: The error; nil if the outcome is written, or if an earlier attempt for the fix failed too.
  mutating func settle(
    _ fix: OutboxEntry, _ outcome: DisclosureOutcome, _ writer: inout StoreWriter, at now: MonotonicInstant
  ) -> StoreError? {
    do {
      try Self.write(outcome, of: fix, &writer)
      return nil
    } catch {
      let isFirst = !settlements.contains { $0.fix.number == fix.number }
      settlements.append(Settlement(fix: fix, outcome: outcome, nextAttempt: now + Self.retryTime))
      return isFirst ? error : nil
    }
  }

  private mutating func retrySettlements(_ writer: inout StoreWriter, at now: MonotonicInstant) {
    let due = settlements.filter { $0.nextAttempt <= now }
    settlements.removeAll { $0.nextAttempt <= now }
    for settlement in due { _ = settle(settlement.fix, settlement.outcome, &writer, at: now) }
  }

  private static func write(
    _ outcome: DisclosureOutcome, of fix: OutboxEntry, _ writer: inout StoreWriter
  ) throws(StoreError) {
    try writer.write(.outcome) { store, clock throws(StoreError) in try store.settle(fix, outcome, now: clock) }
  }
}
