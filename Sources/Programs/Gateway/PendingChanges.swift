import Authorization
import Base
import LineProtocol
import StateStore

/// The changes that are not saved yet: of authorizations, of the kill switch and of the queue of fixes. Each change
/// stays here until it is written. If a write fails, a copy goes to the runtime directory.
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

  /// The records (authorizations) to save, by app. After the removal of a record, the value is the record of a new app.
  private var records: [AppID: AppRecord] = [:]
  /// The state of the kill switch to save; nil if the state is already saved.
  private var lock: Bool?
  /// The log entries about decisions, oldest first: answers to prompts (questions to the user), and ends of
  /// authorizations with a time limit.
  private var decisions: [Decision] = []
  /// The encrypted values to save, by name; nil for a value to erase. Each one permits less than the saved value.
  private var values: [String: [UInt8]?] = [:]
  /// The outcomes of fixes for outputs that could not be written.
  private var settlements: [Settlement] = []
  /// The outcomes of other disclosures (fixes that were sent to apps) that could not be written, oldest first.
  private var ends: [LogEntry.Event] = []
  /// The instant of the next attempt to write `ends`; nil if `ends` is empty.
  private var nextAttemptOfEnds: MonotonicInstant?
  /// The instant of the next attempt to write the other changes (neither `settlements` nor `ends`); nil if no write has
  /// failed.
  private var nextAttempt: MonotonicInstant?

  /// The count of changes that must be saved before the next location is sent, without `settlements` and `ends`.
  var count: Int { records.count + decisions.count + values.count + (lock == nil ? 0 : 1) }

  /// Whether a write has failed and changes are still unsaved.
  var isFailing: Bool { nextAttempt != nil && count > 0 }

  /// Returns whether the record (the authorization) of an app is not saved yet.
  func contains(_ app: AppID) -> Bool { records[app] != nil }

  /// Whether the state of the kill switch is not saved yet.
  var containsLock: Bool { lock != nil }

  /// Returns whether a new version of an encrypted value is not saved yet.
  func contains(value name: String) -> Bool { values.keys.contains(name) }

  /// The changes for the copy in the runtime directory. Log entries are not copied.
  var unsaved: UnsavedChanges {
    UnsavedChanges(records: Array(records.values), isLocked: lock == true, values: values)
  }

  var nextDeadline: MonotonicInstant? {
    (settlements.map(\.nextAttempt) + [nextAttempt, nextAttemptOfEnds].compactMap(\.self)).min()
  }

  // MARK: Rights

  /// Saves the records (the authorizations) of several apps in one transaction.
  mutating func save(_ changed: [AppRecord], _ writer: inout StoreWriter) throws(StoreError) {
    for record in changed { records[record.app] = record }
    // The answer that gave an authorization is written before the authorization. A denial does not wait for the answer:
    // on a full disk, only the denial has reserved space.
    if changed.contains(where: { [.whenInUse, .always].contains($0.status) }) { try recordDecisions(&writer) }
    try writer.write(.right) { store, clock throws(StoreError) in try store.save(changed, now: clock) }
    for record in changed { records[record.app] = nil }
  }

  /// Removes the record (the authorization) of an app. If the removal fails, `record` replaces the old record at a
  /// later attempt.
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

  /// Saves a new version of an encrypted value that permits less than the saved one, or erases the value if `bytes` is
  /// nil.
  mutating func revoke(_ name: String, to bytes: [UInt8]?, _ writer: inout StoreWriter) throws(StoreError) {
    values.updateValue(bytes, forKey: name)
    try writer.write(.sealed) { store, _ throws(StoreError) in
      if let bytes { try store.seal(bytes, as: name, isRevocation: true) } else { try store.erase(name) }
    }
    values.removeValue(forKey: name)
  }

  /// Records that an encrypted value is saved.
  mutating func noteSaved(value name: String) { values.removeValue(forKey: name) }

  /// Writes an answer to a prompt (a question to the user), or the end of an authorization with a time limit, to the
  /// disclosure log.
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

  /// Adds a record (the authorization of an app) that the next log entry of the app will save.
  mutating func postpone(_ record: AppRecord) { records[record.app] = record }

  /// Returns the unsaved record (the authorization) of an app; nil if there is none.
  func record(of app: AppID) -> AppRecord? { records[app] }

  /// Records that the authorization of an app is saved, because a log entry of the app was written.
  mutating func noteSaved(_ app: AppID) { records[app] = nil }

  /// Writes all changes that can forbid the sending of a location.
  ///
  /// On a full disk, some changes can be written and others cannot. So the function attempts all of them before it
  /// throws the first error. If another program locks the database, each attempt takes two seconds, so the function
  /// stops at the first error.
  /// - Parameter app: The app whose record (authorization) is not written now, because its next log entry saves the
  ///   record.
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

  /// Repeats the failed writes whose next attempt is due.
  mutating func retry(_ writer: inout StoreWriter, at now: MonotonicInstant) throws(StoreError) {
    retrySettlements(&writer, at: now)
    if let due = nextAttemptOfEnds, due <= now { _ = close([], &writer, at: now) }
    guard let due = nextAttempt, due <= now else { return }
    nextAttempt = nil
    try saveAll(except: nil, &writer)
  }

  // MARK: Outcomes

  /// Attempts to write all outcomes that are not saved, even if their next attempt is not due yet.
  mutating func writeOutcomes(_ writer: inout StoreWriter, at now: MonotonicInstant) {
    let unwritten = settlements
    settlements = []
    for settlement in unwritten { _ = settle(settlement.fix, settlement.outcome, &writer, at: now) }
    _ = close([], &writer, at: now)
  }

  /// Writes the outcomes of disclosures (fixes that were sent to apps) in one transaction, together with earlier
  /// outcomes whose write failed.
  ///
  /// A failed write is repeated later, except when the log entry of a disclosure is damaged: such an outcome would
  /// block all later ones.
  /// - Returns: The error; nil if the outcomes are written, or if an earlier attempt already failed.
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

  /// Writes the outcome of a fix for an output. A failed write is repeated later.
  /// - Returns: The error; nil if the outcome is written, or if an earlier attempt for this fix already failed.
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
