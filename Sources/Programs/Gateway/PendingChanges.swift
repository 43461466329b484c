import Authorization
import Base
import LineProtocol
import StateStore

/// The changes that are not in the store yet: of authorizations, of the kill switch, of encrypted values, and outcomes
/// (such as acknowledged or expired) of fixes. A failed write is repeated until the change is saved.
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

  /// The unsaved authorizations, by app. For a removed authorization, the value is the authorization of a new app.
  private var records: [AppID: AppRecord] = [:]
  /// The apps whose unsaved authorization gives and takes away no permission. Only details differ from the saved
  /// authorization, for example the pause of the prompts.
  private var appsWithSameRights: Set<AppID> = []
  /// The unsaved state of the kill switch, true for on; nil if the state is saved.
  private var lock: Bool?
  /// The unwritten log entries, oldest first: answers to prompts (questions to the user), and ends of authorizations
  /// with a time limit.
  private var decisions: [Decision] = []
  /// The values to encrypt and save, by name; nil for a value to erase. Each value permits apps less than the saved
  /// value.
  private var values: [String: [UInt8]?] = [:]
  /// The outcomes (such as acknowledged or expired) of fixes for outputs (such as MQTT brokers) that could not be
  /// written.
  private var settlements: [Settlement] = []
  /// The outcomes (such as acknowledged or expired) of fixes for clients that could not be written, oldest first. Fixes
  /// for outputs are not included.
  private var ends: [LogEntry.Event] = []
  /// The instant of the next attempt to write `ends`; nil if `ends` is empty.
  private var nextAttemptOfEnds: MonotonicInstant?
  /// The instant of the next attempt to save changes other than `settlements` and `ends`; nil if no write has failed.
  private var nextAttempt: MonotonicInstant?

  /// The withdrawn fixes that could not be erased.
  private var withdrawn: [Settlement] { settlements.filter { [.erased, .lost].contains($0.outcome) } }

  /// The count of unsaved changes of rights, of the kill switch, of encrypted values and of withdrawn fixes. Other
  /// outcomes are not counted.
  var count: Int {
    records.count - appsWithSameRights.count + decisions.count + values.count + (lock == nil ? 0 : 1) + withdrawn.count
  }

  /// Whether a write has failed and at least one change is still unsaved.
  var isFailing: Bool { nextAttempt != nil && count > 0 || !withdrawn.isEmpty }

  /// Whether a write of the authorization of an app has failed, and the authorization is still unsaved, or whether a
  /// withdrawn fix of the app could not be erased.
  func isFailing(_ app: AppID) -> Bool {
    nextAttempt != nil && records[app] != nil || withdrawn.contains { $0.fix.app == app }
  }

  /// Whether a write of the kill switch has failed, and its state is still unsaved, or whether a withdrawn fix could not
  /// be erased.
  var isLockFailing: Bool { nextAttempt != nil && lock != nil || !withdrawn.isEmpty }

  /// Whether a write of an encrypted value has failed, and the value is still unsaved.
  func isFailing(value name: String) -> Bool { nextAttempt != nil && values.keys.contains(name) }

  /// The unsaved changes without log entries. A copy in the runtime directory protects these changes from a restart of
  /// the daemon.
  var unsaved: UnsavedChanges {
    UnsavedChanges(
      records: records.values.filter { !appsWithSameRights.contains($0.app) }, isLocked: lock == true, values: values,
      withdrawn: Dictionary(withdrawn.map { ($0.fix.number, $0.outcome) }) { first, _ in first })
  }

  var nextDeadline: MonotonicInstant? {
    (settlements.map(\.nextAttempt) + [nextAttempt, nextAttemptOfEnds].compactMap(\.self)).min()
  }

  // MARK: Rights

  /// Saves the authorizations of several apps in one transaction.
  mutating func save(_ changed: [AppRecord], _ writer: inout StoreWriter) throws(StoreError) {
    for record in changed { postpone(record) }
    // A withdrawn fix is erased before an authorization that would permit it again. The answer that gave an authorization
    // is written before the authorization. A denial does not wait: on a full disk, only the denial has reserved space.
    try eraseWithdrawn(of: changed.filter { $0.status != .denied }.map(\.app), &writer)
    if changed.contains(where: { [.whenInUse, .always].contains($0.status) }) { try recordDecisions(&writer) }
    try write(changed, &writer) { store, clock throws(StoreError) in try store.save(changed, now: clock) }
  }

  /// Removes the saved authorization of an app.
  /// - Parameter record: The authorization of a new app. If the removal fails, a later attempt saves this record
  ///   instead.
  mutating func remove(asNew record: AppRecord, _ writer: inout StoreWriter) throws(StoreError) {
    postpone(record)
    try eraseWithdrawn(of: [record.app], &writer)
    try write([record], &writer) { store, _ throws(StoreError) in try store.remove(record.app) }
  }

  /// Performs a write that saves the authorizations of apps.
  private mutating func write(
    _ changed: [AppRecord], _ writer: inout StoreWriter, _ write: (StateStore, ClockReading) throws(StoreError) -> Void
  ) throws(StoreError) {
    do { try writer.write(.right, write) } catch {
      for record in changed where !writer.changesRights(record) { appsWithSameRights.insert(record.app) }
      throw error
    }
    for record in changed { noteSaved(record.app) }
  }

  mutating func saveLock(_ isLocked: Bool, _ writer: inout StoreWriter) throws(StoreError) {
    lock = isLocked
    if !isLocked { try eraseWithdrawn(&writer) }
    try writer.write(.right) { store, _ throws(StoreError) in try store.saveLock(isLocked) }
    lock = nil
  }

  /// Saves a value in encrypted form, or erases the saved value if `bytes` is nil. The new value must permit apps less
  /// than the saved value.
  mutating func revoke(_ name: String, to bytes: [UInt8]?, _ writer: inout StoreWriter) throws(StoreError) {
    values.updateValue(bytes, forKey: name)
    try writer.write(.sealed) { store, _ throws(StoreError) in
      if let bytes { try store.seal(bytes, as: name, isRevocation: true) } else { try store.erase(name) }
    }
    values.removeValue(forKey: name)
  }

  /// Removes an encrypted value from the unsaved changes.
  mutating func noteSaved(value name: String) { values.removeValue(forKey: name) }

  /// Writes a decision to the disclosure log (the log of fixes sent to apps): an answer to a prompt (a question to the
  /// user), or the end of an authorization with a time limit.
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

  /// Adds an authorization to the unsaved changes. The next log entry of the app saves the authorization.
  mutating func postpone(_ record: AppRecord) {
    records[record.app] = record
    appsWithSameRights.remove(record.app)
  }

  /// Returns the unsaved authorization of an app; nil if there is none.
  func record(of app: AppID) -> AppRecord? { records[app] }

  /// Removes the authorization of an app from the unsaved changes. The transaction of a log entry has saved the
  /// authorization.
  mutating func noteSaved(_ app: AppID) {
    records[app] = nil
    appsWithSameRights.remove(app)
  }

  /// Writes all unsaved changes that can forbid the sending of a fix.
  ///
  /// On a full disk, some writes can still succeed. The function therefore attempts all writes, and then throws the
  /// first error. If another program locks the database, each attempt takes two seconds, so the function stops at the
  /// first error.
  /// - Parameter app: The app whose authorization is not written, because its next log entry saves the authorization.
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
    try attempt { () throws(StoreError) in try eraseWithdrawn(&writer) }
    if let failure { throw failure }
  }

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

  /// Writes all unsaved outcomes (such as acknowledged or expired) of fixes now, without waiting for the scheduled
  /// attempts.
  mutating func writeOutcomes(_ writer: inout StoreWriter, at now: MonotonicInstant) {
    let unwritten = settlements
    settlements = []
    for settlement in unwritten { _ = settle(settlement.fix, settlement.outcome, &writer, at: now) }
    _ = close([], &writer, at: now)
  }

  /// Writes the outcomes (such as acknowledged or expired) of sent fixes in one transaction, together with earlier
  /// outcomes whose write has failed.
  ///
  /// A failed write is repeated later. If the log entry of a fix is damaged, the outcomes are dropped instead, because
  /// the damage would make every later attempt fail.
  /// - Returns: The error; nil if the outcomes are written, or if an earlier attempt has already failed.
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

  /// Writes the outcome (such as acknowledged or expired) of a fix for an output (such as an MQTT broker). A failed
  /// write is repeated later.
  /// - Returns: The error; nil if the outcome is written, or if an earlier attempt for this fix has already failed.
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

  /// Erases the withdrawn fixes whose erasure has failed before.
  /// - Parameter apps: The apps of the fixes; nil for all apps.
  private mutating func eraseWithdrawn(
    of apps: [AppID]? = nil, _ writer: inout StoreWriter
  ) throws(StoreError) {
    var failure: StoreError?
    for settlement in withdrawn where apps?.contains(settlement.fix.app) ?? true {
      do {
        try Self.write(settlement.outcome, of: settlement.fix, &writer)
        settlements.removeAll { $0.fix.number == settlement.fix.number }
      } catch {
        failure = failure ?? error
        // Each attempt takes two seconds if another program locks the database.
        if error.kind == .busy { break }
      }
    }
    if let failure { throw failure }
  }

  private static func write(
    _ outcome: DisclosureOutcome, of fix: OutboxEntry, _ writer: inout StoreWriter
  ) throws(StoreError) {
    try writer.write(.outcome) { store, clock throws(StoreError) in try store.settle(fix, outcome, now: clock) }
  }
}
