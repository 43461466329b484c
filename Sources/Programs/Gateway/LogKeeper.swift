import Authorization
import Base
import Disclosure
import LineProtocol
import Logging
import OperatingSystem
import StateStore

/// Saves the state of the gateway: the authorizations of the apps, the disclosure log (a record of each fix that was
/// sent), and encrypted values.
struct LogKeeper {
  private let store: StateStore
  private var writer: StoreWriter
  private var pending = PendingChanges()
  private var quota = LogQuota()
  var upkeep: LogUpkeep
  /// The path of the file with the changes that could not be saved; nil if the gateway writes no such file.
  private let copyPath: String?
  /// Whether the file with unsaved changes exists.
  private var hasCopy = false
  /// The error of the last attempt to write the file with unsaved changes; nil after success.
  private var copyFault: StoreError?

  /// - Parameter copyPath: The path of the file for changes that cannot be saved; nil to write no such file.
  init(_ store: StateStore, copyPath: String? = nil, clock: @escaping @Sendable () -> ClockReading) {
    self.store = store
    self.copyPath = copyPath
    writer = StoreWriter(store, clock: clock)
    upkeep = LogUpkeep(anchored: (try? store.latestAnchorTime()) ?? nil)
  }

  // MARK: Changes

  /// Saves the authorizations of several apps in one transaction.
  mutating func save(_ records: [AppRecord], at now: MonotonicInstant, _ outputs: inout Outputs) {
    attempt(at: now, &outputs) { try $0.save(records, &$1) }
  }

  /// Removes the saved authorization of an app.
  /// - Parameter record: The authorization of a new app. If the removal fails, a later attempt saves this record
  ///   instead.
  mutating func remove(asNew record: AppRecord, at now: MonotonicInstant, _ outputs: inout Outputs) {
    attempt(at: now, &outputs) { try $0.remove(asNew: record, &$1) }
  }

  mutating func saveLock(_ isLocked: Bool, at now: MonotonicInstant, _ outputs: inout Outputs) {
    attempt(at: now, &outputs) { try $0.saveLock(isLocked, &$1) }
  }

  /// Saves a value in encrypted form, or erases the saved value if `bytes` is nil. The new value must permit apps less
  /// than the saved value, because the change is in force even if the write fails.
  mutating func revoke(value name: String, to bytes: [UInt8]?, at now: MonotonicInstant, _ outputs: inout Outputs) {
    attempt(at: now, &outputs) { try $0.revoke(name, to: bytes, &$1) }
  }

  /// Writes a decision to the disclosure log (the log of fixes sent to apps): an answer to a prompt (a question to the
  /// user), or the end of an authorization with a time limit.
  mutating func record(
    _ event: LogEntry.Event, of app: AppID, at now: MonotonicInstant, _ outputs: inout Outputs
  ) {
    attempt(at: now, &outputs) { try $0.add(event, of: app, &$1) }
  }

  /// Keeps a changed authorization in memory until the next log entry of its app. One transaction then saves both.
  mutating func postpone(_ record: AppRecord) { pending.postpone(record) }

  /// Saves the authorizations of these apps that `postpone(_:)` has kept in memory and that are still unsaved.
  mutating func saveDeferred(_ apps: [AppID], at now: MonotonicInstant, _ outputs: inout Outputs) {
    for record in apps.compactMap(pending.record(of:)) { save([record], at: now, &outputs) }
  }

  /// Writes all unsaved changes and outcomes (such as acknowledged or expired) of fixes. The gateway calls this
  /// function when the gateway stops.
  mutating func savePending(at now: MonotonicInstant, _ outputs: inout Outputs) {
    pending.writeOutcomes(&writer, at: now)
    attempt(at: now, &outputs) { try $0.saveAll(except: nil, &$1) }
  }

  /// Repeats the failed writes for which the time of the next attempt has come.
  mutating func pass(to now: MonotonicInstant, _ outputs: inout Outputs) {
    // The first failure is already in the daemon's log.
    attempt(at: now, isReported: false, &outputs) { try $0.retry(&$1, at: now) }
  }

  var nextDeadline: MonotonicInstant? { pending.nextDeadline }

  /// Performs a write. After an error, the function schedules another attempt, and logs the error if `isReported` is
  /// true.
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

  /// Writes the unsaved changes to the file at `copyPath`, or removes this file if all changes are saved.
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

  /// Writes the outcomes (such as acknowledged or expired) of sent fixes to the disclosure log (the log of fixes sent
  /// to apps), in one transaction. A failed write is repeated later.
  mutating func close(_ events: [LogEntry.Event], _ outputs: inout Outputs) {
    guard !events.isEmpty else { return }
    if let error = pending.close(events, &writer, at: now.monotonic) { Self.reportUnwritten(error, &outputs) }
    updateCopy(&outputs)
  }

  /// Writes the outcome (such as acknowledged or expired) of a fix for an output (such as an MQTT broker). A failed
  /// write is repeated later.
  mutating func settle(
    _ fix: OutboxEntry, _ outcome: DisclosureOutcome, at now: MonotonicInstant, _ outputs: inout Outputs
  ) {
    if let error = pending.settle(fix, outcome, &writer, at: now) { Self.reportUnwritten(error, &outputs) }
    updateCopy(&outputs)
  }

  private static func reportUnwritten(_ error: StoreError, _ outputs: inout Outputs) {
    outputs.log(.store, .error, "cannot write the outcome of a disclosure", ["cause": "\(error)"])
  }

  // MARK: The quota of entries

  /// Returns the time until the quota of an app permits the next log entry; nil if the quota permits an entry now. Only
  /// fixes without a press of the button use the quota.
  mutating func wait(of app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Duration? {
    quota.wait(of: app, isOnce: isOnce, at: now)
  }

  /// Counts one log entry against the quota of an app, and logs a warning if the quota is nearly used up. Only fixes
  /// without a press of the button use the quota.
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

  /// Returns the apps that have nearly used up their quota of log entries, sorted.
  func lowApps(at now: MonotonicInstant) -> [AppID] { quota.lowApps(at: now) }

  // MARK: Work in steps

  /// The maximum count of log entries that one step of a verification, search or removal handles. Between two steps,
  /// the gateway handles other events and commands, such as a press of the button.
  static let entriesAtOnce = 200

  /// Removes old log entries, writes the anchor (the record of the end of the log), and saves the counts of requests.
  /// The gateway calls this function once an hour, and when the gateway stops.
  mutating func maintain(
    received: UTCTime?, clock fault: ClockFault? = nil, retention: Duration, _ outputs: inout Outputs
  ) {
    upkeep.maintain(received: received, clock: fault, retention, &writer, &outputs)
  }

  /// Removes the next old log entries. The gateway calls this function again as long as `upkeep.isPruning` is true.
  mutating func prune(_ outputs: inout Outputs) { upkeep.prune(&writer, &outputs) }

  /// Begins a verification of the disclosure log (the log of fixes sent to apps), which the caller continues with
  /// `continueVerification(_:)`.
  func beginVerification() throws(StoreError) -> LogVerifier { try store.beginVerification() }

  /// Verifies the next entries of the disclosure log (the log of fixes sent to apps).
  /// - Returns: False if no entry is left.
  func continueVerification(_ verifier: inout LogVerifier) throws(StoreError) -> Bool {
    try store.continueVerification(&verifier, entries: Self.entriesAtOnce)
  }

  /// Reads the next entries of the disclosure log (the log of fixes sent to apps).
  /// - Returns: The entries of this step that match the search.
  func continueSearch(_ search: inout LogSearch) throws(StoreError) -> [LogEntry] {
    try store.continueSearch(&search, reading: Self.entriesAtOnce)
  }

  // MARK: State

  var now: ClockReading { writer.now }

  /// The count of unsaved changes of rights, of the kill switch, of encrypted values and of withdrawn fixes.
  var pendingChanges: Int { pending.count }

  /// Whether a change is in force, but could not be saved.
  var isUnsaved: Bool { pending.isFailing }

  func isUnsaved(_ app: AppID) -> Bool { pending.isFailing(app) }
  var isLockUnsaved: Bool { pending.isLockFailing }
  func isUnsaved(value name: String) -> Bool { pending.isFailing(value: name) }

  /// The error reply to an owner (administrator) whose change is in force, but could not be saved.
  var unsavedError: LineError {
    let loses =
      copyPath == nil || copyFault != nil ? "a restart of the daemon or a power cut undoes it" : "a power cut undoes it"
    return LineError(.notSaved, "the change is in force, but it is not saved: \(loses) (onefix doctor explains it)")
  }
  var writes: [String: Histogram] { writer.writes }
  var failedWrites: [String: Int] { writer.failedWrites }

  /// The codes of warnings for owners (administrators), sorted: one code for each kind of damage that was found in
  /// saved authorizations at the start.
  var rightsWarnings: [String] { Set(store.stateFaults.map(\.warning)).sorted() }

  /// Returns the newest entries of the disclosure log (the log of fixes sent to apps), oldest first; an empty array if
  /// the log cannot be read.
  func entries(newest count: Int) -> [LogEntry] {
    (try? store.entries(newestFirst: true, limit: count).reversed()) ?? []
  }

  /// Returns the counts of requests that ended without a fix. The key has the hour or the day, the app, and the answer
  /// that the app got.
  func answers(since: UTCTime?) throws(StoreError) -> [(key: AnswerKey, count: Int)] {
    try upkeep.answers(since: since, in: store)
  }

  func addStatus(to fields: inout ServerLine.Fields) {
    upkeep.addStatus(to: &fields)
    let canWrite = store.hasReserve && !writer.isFailing
    let faults = (canWrite ? [] : ["write"]) + (pending.count > 0 ? ["unsaved:\(pending.count)"] : [])
    fields["store-fault"] = faults.fieldValue
  }

  // MARK: Sealed values

  mutating func seal(_ bytes: [UInt8], as name: String) throws(StoreError) {
    try writer.write(.sealed) { store, _ throws(StoreError) in try store.seal(bytes, as: name) }
    pending.noteSaved(value: name)
  }

  func unseal(_ name: String) throws(StoreError) -> [UInt8]? { try store.unseal(name) }

  /// The names of all saved encrypted values, sorted.
  var sealedNames: [String] { get throws(StoreError) { try store.sealedNames } }

  func close() { store.close() }
}

extension LogKeeper: RegionStore {
  mutating func save(_ regions: SealedRegions, isWhole: Bool) -> String? {
    do {
      try writer.write(.sealed) { store, _ throws(StoreError) in try regions.save(in: store, isWhole: isWhole) }
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
