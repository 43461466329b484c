import Authorization
import Base
import Disclosure
import LineProtocol
import Logging
import OperatingSystem
import Ports
import StateStore

/// Saves the state of the gateway: the authorizations of the apps, the disclosure log (a record of each fix that was
/// sent), and encrypted values.
struct LogKeeper {
  private let store: StateStore
  private var writer: StoreWriter
  private var pending = PendingChanges()
  private var quota = LogQuota()
  var upkeep: LogUpkeep
  /// The path of the copy of changes that could not be saved; nil for no copy.
  private let copyPath: String?
  /// Whether a copy of unsaved changes exists.
  private var hasCopy = false
  /// The reason why the copy of unsaved changes could not be written; nil if there was no error.
  private var copyFault: StoreError?

  /// - Parameter copyPath: The path of a copy of changes that cannot be saved; nil for no copy.
  init(_ store: StateStore, copyPath: String? = nil, clock: @escaping @Sendable () -> ClockReading) {
    self.store = store
    self.copyPath = copyPath
    writer = StoreWriter(store, clock: clock)
    upkeep = LogUpkeep(anchored: (try? store.latestAnchorTime()) ?? nil)
  }

  // MARK: Changes

  /// Saves the records (the authorizations) of several apps in one transaction.
  mutating func save(_ records: [AppRecord], at now: MonotonicInstant, _ outputs: inout Outputs) {
    attempt(at: now, &outputs) { try $0.save(records, &$1) }
  }

  /// Removes the record (the authorization) of an app.
  /// - Parameter record: The record of a new app. If the removal fails, this record replaces the old record at a later
  ///   attempt.
  mutating func remove(asNew record: AppRecord, at now: MonotonicInstant, _ outputs: inout Outputs) {
    attempt(at: now, &outputs) { try $0.remove(asNew: record, &$1) }
  }

  /// Saves the state of the kill switch.
  mutating func saveLock(_ isLocked: Bool, at now: MonotonicInstant, _ outputs: inout Outputs) {
    attempt(at: now, &outputs) { try $0.saveLock(isLocked, &$1) }
  }

  /// Saves a new version of an encrypted value, or erases the value if `bytes` is nil. The new version must permit less
  /// than the saved one, since the change applies even if the write fails.
  mutating func revoke(value name: String, to bytes: [UInt8]?, at now: MonotonicInstant, _ outputs: inout Outputs) {
    attempt(at: now, &outputs) { try $0.revoke(name, to: bytes, &$1) }
  }

  /// Adds an event of an app to the disclosure log: the answer to a question to the user, or the end of an
  /// authorization with a time limit.
  mutating func record(
    _ event: LogEntry.Event, of app: AppID, at now: MonotonicInstant, _ outputs: inout Outputs
  ) {
    attempt(at: now, &outputs) { try $0.add(event, of: app, &$1) }
  }

  /// Keeps the record (the authorization) of an app in memory until the next log entry of the app. One transaction then
  /// writes both.
  mutating func postpone(_ record: AppRecord) { pending.postpone(record) }

  /// Saves the records (authorizations) that `postpone(_:)` has kept in memory for these apps, if no log entry has
  /// saved them yet.
  mutating func saveDeferred(_ apps: [AppID], at now: MonotonicInstant, _ outputs: inout Outputs) {
    for record in apps.compactMap(pending.record(of:)) { save([record], at: now, &outputs) }
  }

  /// Writes all changes and outcomes that are not saved yet. Called when the gateway stops.
  mutating func savePending(at now: MonotonicInstant, _ outputs: inout Outputs) {
    pending.writeOutcomes(&writer, at: now)
    attempt(at: now, &outputs) { try $0.saveAll(except: nil, &$1) }
  }

  /// Repeats failed writes whose next attempt is due.
  mutating func pass(to now: MonotonicInstant, _ outputs: inout Outputs) {
    // The first failure is already in the daemon's log.
    attempt(at: now, isReported: false, &outputs) { try $0.retry(&$1, at: now) }
  }

  var nextDeadline: MonotonicInstant? { pending.nextDeadline }

  /// Runs a write. If the write fails, the gateway repeats it later.
  private mutating func attempt(
    at now: MonotonicInstant, isReported: Bool = true, _ outputs: inout Outputs,
    _ write: (inout PendingChanges, inout StoreWriter) throws -> Void
  ) {
    do { try write(&pending, &writer) } catch {
      pending.retryLater(at: now)
      if isReported {
        let text = "cannot write a change; nothing is disclosed until it is written"
        outputs.log(.store, .error, text, ["cause": "\(error)"])
      }
    }
    updateCopy(&outputs)
  }

  /// Copies the unsaved changes to the runtime directory, or removes the copy if all changes are saved.
  private mutating func updateCopy(_ outputs: inout Outputs) {
    guard let copyPath, pending.isFailing || hasCopy else { return }
    let former = copyFault
    hasCopy = pending.isFailing
    do {
      if hasCopy { try store.copy(pending.unsaved, to: copyPath) } else { StateStore.removeCopy(copyPath) }
      copyFault = nil
    } catch {
      copyFault = error
    }
    guard let copyFault, copyFault != former else { return }
    outputs.log(
      .store, .error, "cannot copy unsaved changes to the runtime directory; a restart of the daemon undoes them",
      ["cause": "\(copyFault)"])
  }

  // MARK: Outcomes

  /// Writes the outcomes of disclosures (fixes that were sent to apps) to the disclosure log, in one transaction. If
  /// the write fails, the gateway repeats it later.
  mutating func close(_ events: [LogEntry.Event], _ outputs: inout Outputs) {
    guard !events.isEmpty else { return }
    if let error = pending.close(events, &writer, at: now.monotonic) { Self.reportUnwritten(error, &outputs) }
    updateCopy(&outputs)
  }

  /// Records the outcome of a fix that was sent to an output. If the write fails, the gateway repeats it later.
  mutating func settle(
    _ fix: OutboxEntry, _ outcome: DisclosureOutcome, at now: MonotonicInstant, _ outputs: inout Outputs
  ) {
    if let error = pending.settle(fix, outcome, &writer, at: now) { Self.reportUnwritten(error, &outputs) }
  }

  private static func reportUnwritten(_ error: StoreError, _ outputs: inout Outputs) {
    outputs.log(.store, .error, "cannot write the outcome of a disclosure", ["cause": "\(error)"])
  }

  // MARK: The quota of entries

  /// Returns the time until an app may cause its next log entry; nil if it may now. Only fixes without a press of the
  /// button count.
  mutating func wait(of app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Duration? {
    quota.wait(of: app, isOnce: isOnce, at: now)
  }

  /// Counts one log entry of an app, for a fix without a press of the button.
  mutating func countEntry(of app: AppID, isOnce: Bool, at now: MonotonicInstant, _ outputs: inout Outputs) {
    guard quota.wait(of: app, isOnce: isOnce, at: now) == nil, quota.consume(app, isOnce: isOnce, at: now) else {
      return
    }
    outputs.log(
      .store, .warning,
      "an app has used most of its entries in the log of disclosures; its requests will soon be refused",
      [
        "app": "\(app)",
        "remedy": "onefix log --app \(app) lists its entries; an app that needs many fixes can use START updates",
      ])
  }

  /// Returns the apps that have used most of their quota of log entries, sorted.
  func lowApps(at now: MonotonicInstant) -> [AppID] { quota.lowApps(at: now) }

  // MARK: Work in steps

  /// The count of log entries that one step reads or removes. Between two steps, the gateway handles other inputs.
  static let entriesAtOnce = 200

  /// Removes old log entries, writes the anchor (the record of the end of the log), and saves the counts of requests.
  /// Called once an hour, and when the gateway stops.
  mutating func maintain(
    received: UTCTime?, clock fault: ClockFault? = nil, retention: Duration, _ outputs: inout Outputs
  ) {
    upkeep.maintain(received: received, clock: fault, retention, &writer, &outputs)
  }

  /// Removes the next old log entries. Called after `maintain` as long as `upkeep.isPruning` is true.
  mutating func prune(_ outputs: inout Outputs) { upkeep.prune(&writer, &outputs) }

  /// Begins a verification of the disclosure log. The caller continues it with `continueVerification(_:)`.
  func beginVerification() throws(StoreError) -> LogVerifier { try store.beginVerification() }

  /// Verifies the next entries of the disclosure log.
  /// - Returns: False if the end of the log is reached.
  func continueVerification(_ verifier: inout LogVerifier) throws(StoreError) -> Bool {
    try store.continueVerification(&verifier, entries: Self.entriesAtOnce)
  }

  /// Reads the next entries of the disclosure log.
  /// - Returns: The entries of this step that match the search.
  func continueSearch(_ search: inout LogSearch) throws(StoreError) -> [LogEntry] {
    try store.continueSearch(&search, reading: Self.entriesAtOnce)
  }

  // MARK: State

  /// The present time, from the clock with which the store measures its writes.
  var now: ClockReading { writer.now }

  /// The count of changes that are not saved yet.
  var pendingChanges: Int { pending.count }

  /// Whether a change already applies, but could not be saved.
  var isUnsaved: Bool { pending.isFailing }

  func isUnsaved(_ app: AppID) -> Bool { pending.isFailing && pending.contains(app) }
  var isLockUnsaved: Bool { pending.isFailing && pending.containsLock }
  func isUnsaved(value name: String) -> Bool { pending.isFailing && pending.contains(value: name) }

  /// The error that an owner gets after a change that applies, but could not be saved.
  var unsavedError: LineError {
    let loses =
      copyPath == nil || copyFault != nil ? "a restart of the daemon or a power cut undoes it" : "a power cut undoes it"
    return LineError(.notSaved, "the change is in force, but it is not saved: \(loses) (onefix doctor explains it)")
  }
  var writes: [String: Histogram] { writer.writes }
  var failedWrites: [String: Int] { writer.failedWrites }

  /// The codes of warnings for owners about saved authorizations that were damaged at the start, sorted.
  var rightsWarnings: [String] { Set(store.stateFaults.map(\.warning)).sorted() }

  /// Returns the newest entries of the disclosure log, oldest first; an empty array if the log cannot be read.
  func entries(newest count: Int) -> [LogEntry] {
    (try? store.entries(newestFirst: true, limit: count).reversed()) ?? []
  }

  /// Returns how many requests ended without a fix. The key has the hour or the day, the app, and the answer that the
  /// app got.
  func answers(since: UTCTime?) throws(StoreError) -> [(key: AnswerKey, count: Int)] {
    try upkeep.answers(since: since, in: store)
  }

  func addStatus(to fields: inout ServerLine.Fields) {
    upkeep.addStatus(to: &fields)
    let faults = (writer.isFailing ? ["write"] : []) + (pending.count > 0 ? ["unsaved:\(pending.count)"] : [])
    fields["store-fault"] = faults.fieldValue
  }

  // MARK: Sealed values

  mutating func seal(_ bytes: [UInt8], as name: String) throws(StoreError) {
    try writer.write(.sealed) { store, _ throws(StoreError) in try store.seal(bytes, as: name) }
    pending.noteSaved(value: name)
  }

  func unseal(_ name: String) throws(StoreError) -> [UInt8]? { try store.unseal(name) }

  func close() { store.close() }
}

extension LogKeeper: RegionStore {
  mutating func save(_ regions: SealedRegions) -> String? {
    do {
      try writer.write(.sealed) { store, _ throws(StoreError) in try regions.save(in: store) }
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension LogKeeper: DisclosureLog {
  mutating func savePending(except app: AppID?) throws(StoreError) { try pending.saveAll(except: app, &writer) }

  mutating func open(_ entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?) throws(StoreError)
    -> Int64
  {
    let number = try writer.write(.disclosure) { store, clock throws(StoreError) in
      try store.openDisclosure(entry, record: record, sealing: memory.map { ($0.name, $0.bytes) }, now: clock)
    }
    pending.noteSaved(record.app)
    return number
  }

  mutating func openInterval(
    _ entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?
  ) throws(StoreError) -> Int64 {
    try writer.write(.disclosure) { store, clock throws(StoreError) in
      try store.openInterval(entry, record: record, sealing: memory.map { ($0.name, $0.bytes) }, now: clock)
    }
  }

  mutating func keep(
    _ fix: OutboxFix, as entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?
  ) throws(StoreError) -> OutboxEntry {
    let waiting = try writer.write(.disclosure) { store, clock throws(StoreError) in
      try store.keep(fix, as: entry, record: record, sealing: memory.map { ($0.name, $0.bytes) }, now: clock)
    }
    pending.noteSaved(record.app)
    return waiting
  }

  mutating func postpone(_ fix: OutboxEntry) throws(StoreError) -> OutboxEntry {
    try writer.write(.disclosure) { store, clock throws(StoreError) in try store.postpone(fix, now: clock) }
  }

  func content(of fix: OutboxEntry) throws(StoreError) -> [UInt8] { try store.content(of: fix) }

  mutating func seal(_ memory: SealedMemory) throws(StoreError) { try seal(memory.bytes, as: memory.name) }
}
