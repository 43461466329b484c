import Authorization
import Clocks
import Disclosure
import LineProtocol
import Logging
import Ports
import StateStore
import Telemetry

/// Keeps the durable state in the store: rights, the disclosure log, and sealed (encrypted) values. Measures the
/// duration of each write.
struct LogKeeper {
  enum Input {
    case save(AppRecord)
    /// Removes the record of an app.
    /// - asNew: the record of a new app. If the removal fails, this record is saved later in place of the old record.
    case remove(asNew: AppRecord)
    case saveLock(Bool)
    /// Defers the saving of a record. The next log entry of the same app also saves the record.
    case postpone(AppRecord)
    /// Saves the deferred records of these apps, unless a log entry has already saved them.
    case saveDeferred([AppID])
    case close([LogEntry.Event])
    /// Records an answer to a prompt.
    case answered(AnswerEntry)
    case settle(OutboxEntry, DisclosureOutcome)
    /// Counts a request that ended without a fix. Each kind of answer has its own count.
    case refused(String, AppID, day: String)
    /// Counts a log entry for a disclosure without a press of the button.
    case countEntry(AppID, isOnce: Bool)
    /// Removes old entries from the log, writes the anchor (a record of the log's end), and saves the counts of
    /// requests. Due once an hour and at the stop of the gateway.
    case maintain(received: UTCTime?, retention: Duration)
    case verified(LogVerification)
    case unreadable(any Error)
    case timePassed
  }

  enum Condition: Hashable {
    /// The log has not been verified since the start.
    case unchecked
    case good
    /// Another program changed the log. The value is the first fault. The gateway can still add and verify new entries.
    case broken(LogFault)
    case unreadable(String)
    /// The gateway could not remove old entries, write the anchor of the log, or save the counts.
    case unmaintained(String)

    var isFaulty: Bool {
      switch self {
      case .unchecked, .good: false
      case .broken, .unreadable, .unmaintained: true
      }
    }
  }

  /// Changes of rights, of the kill switch and of the outbox that are not durable yet.
  private struct Pending {
    /// The records to write. If the record of an app was removed, the record of a new app is written in its place.
    var records: [AppID: AppRecord] = [:]
    var lock: Bool?
    /// The answers to prompts, oldest first.
    var answers: [AnswerEntry] = []
    var settlements: [Settlement] = []
    var cause: String?
  }

  private struct Settlement {
    let fix: OutboxEntry
    let outcome: DisclosureOutcome
    var nextAttempt: MonotonicInstant
  }

  private static let retryTime = Duration.seconds(5)

  private let store: StateStore
  private let clock: @Sendable () -> ClockReading
  private var pending = Pending()
  private var quota = LogQuota()
  private(set) var condition = Condition.unchecked
  private var reported: Set<LogFault> = []
  private var answers: [AnswerKey: Int] = [:]
  private var clockTrust = ClockTrust()
  private(set) var writes = StoreWrite.each(
    Histogram(bounds: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1]))
  private(set) var failedWrites = StoreWrite.each(0)

  init(_ store: StateStore, clock: @escaping @Sendable () -> ClockReading) {
    self.store = store
    self.clock = clock
  }

  mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .save(let record):
      return save(record) { store, clock throws(StoreError) in try store.save(record, now: clock) }
    case .remove(let record): return save(record) { store, _ throws(StoreError) in try store.remove(record.app) }
    case .saveLock(let isLocked):
      do {
        try timed(.right) { store, _ throws(StoreError) in try store.saveLock(isLocked) }
        pending.lock = nil
      } catch {
        pending.lock = isLocked
        return [note(unsaved: error)]
      }
    case .postpone(let record): pending.records[record.app] = record
    case .saveDeferred(let apps):
      return apps.compactMap { pending.records[$0] }.flatMap { record in
        save(record) { store, clock throws(StoreError) in try store.save(record, now: clock) }
      }
    case .close(let events): return close(events)
    case .answered(let answer):
      pending.answers.append(answer)
      do { try recordAnswers() } catch { return [note(unsaved: error)] }
    case .settle(let fix, let outcome):
      let isFirst = !pending.settlements.contains { $0.fix.number == fix.number }
      do { try settle(fix, outcome) } catch {
        pending.settlements.append(Settlement(fix: fix, outcome: outcome, nextAttempt: now + Self.retryTime))
        if isFirst { return [Self.unwritten(error)] }
      }
    case .refused(let answer, let app, let day): answers[AnswerKey(day: day, app: app, answer: answer), default: 0] += 1
    case .countEntry(let app, let isOnce): return countEntry(app, isOnce: isOnce, at: now)
    case .maintain(let received, let retention): return maintain(received: received, retention)
    case .verified(let verification):
      guard let fault = verification.faults.first else {
        condition = .good
        reported = []
        break
      }
      condition = .broken(fault)
      return note(fault)
    case .unreadable(let error): return note(.unreadable("\(error)"), error)
    case .timePassed: retrySettlements(at: now)
    }
    return []
  }

  var nextDeadline: MonotonicInstant? { pending.settlements.map(\.nextAttempt).min() }

  // MARK: Rights

  private mutating func save(
    _ record: AppRecord, _ write: (StateStore, ClockReading) throws(StoreError) -> Void
  ) -> [Action] {
    do {
      try timed(.right, write)
      pending.records[record.app] = nil
      return []
    } catch {
      pending.records[record.app] = record
      return [note(unsaved: error)]
    }
  }

  private mutating func note(unsaved error: StoreError) -> Action {
    pending.cause = "\(error)"
    return .log(
      LogMessage(
        .store, .error, "cannot write a change; nothing is disclosed until it is written", ["cause": "\(error)"]))
  }

  // MARK: Outcomes

  private mutating func close(_ events: [LogEntry.Event]) -> [Action] {
    guard !events.isEmpty else { return [] }
    do {
      try timed(.outcome) { store, clock throws(StoreError) in try store.close(events, now: clock) }
      return []
    } catch {
      return [Self.unwritten(error)]
    }
  }

  private mutating func recordAnswers() throws(StoreError) {
    while let answer = pending.answers.first {
      try timed(.right) { store, clock throws(StoreError) in try store.record(answer, now: clock) }
      pending.answers.removeFirst()
    }
  }

  private static func unwritten(_ error: StoreError) -> Action {
    .log(LogMessage(.store, .error, "cannot write the outcome of a disclosure", ["cause": "\(error)"]))
  }

  private mutating func settle(_ fix: OutboxEntry, _ outcome: DisclosureOutcome) throws(StoreError) {
    try timed(.outcome) { store, clock throws(StoreError) in try store.settle(fix, outcome, now: clock) }
  }

  private mutating func retrySettlements(at now: MonotonicInstant) {
    let due = pending.settlements.filter { $0.nextAttempt <= now }
    pending.settlements.removeAll { $0.nextAttempt <= now }
    for var settlement in due {
      do { try settle(settlement.fix, settlement.outcome) } catch {
        settlement.nextAttempt = now + Self.retryTime
        pending.settlements.append(settlement)
      }
    }
  }

  // MARK: The quota of entries

  /// Returns the time until an app may add its next log entry for a disclosure without a press of the button. Returns
  /// nil if the app may add the entry now.
  mutating func wait(of app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Duration? {
    quota.wait(of: app, isOnce: isOnce, at: now)
  }

  private mutating func countEntry(_ app: AppID, isOnce: Bool, at now: MonotonicInstant) -> [Action] {
    guard quota.wait(of: app, isOnce: isOnce, at: now) == nil, quota.consume(app, isOnce: isOnce, at: now) else {
      return []
    }
    return [
      .log(
        LogMessage(
          .store, .warning,
          "an app has used most of its entries in the log of disclosures; its requests will soon be refused",
          [
            "app": "\(app)",
            "remedy": "onefix log --app \(app) lists its entries; an app that needs many fixes can use START updates",
          ]))
    ]
  }

  func lowApps(at now: MonotonicInstant) -> [AppID] { quota.lowApps(at: now) }

  // MARK: Upkeep

  private mutating func maintain(received: UTCTime?, _ retention: Duration) -> [Action] {
    var actions: [Action] = []
    let unsavedAnswers = answers
    do {
      try timed(.upkeep) { store, _ throws(StoreError) in try store.addAnswers(unsavedAnswers) }
      answers = [:]
    } catch {
      actions += note(.unmaintained("\(error)"), error)
    }
    do {
      let now = clock()
      if clockTrust.trusts(now, received: received) {
        let oldest = now.utc(at: now.monotonic - retention)
        let removed = try timed(.upkeep) { store, clock throws(StoreError) in
          try store.prune(before: oldest, floor: UTCTime.firstGateways, now: clock)
        }
        if removed > 0 {
          actions.append(
            .log(LogMessage(.store, .notice, "old entries of the log were pruned", ["count": "\(removed)"])))
        }
      }
    } catch {
      actions += note(.unmaintained("\(error)"), error)
    }
    do {
      if let fault = try timed(.upkeep, { store, clock throws(StoreError) in try store.anchor(now: clock) }) {
        actions += note(fault)
      }
    } catch {
      actions += note(.unmaintained("\(error)"), error)
    }
    return actions
  }

  private mutating func note(_ fault: LogFault) -> [Action] {
    // If several faults are found, `condition` keeps the first one.
    if case .broken = condition {} else { condition = .broken(fault) }
    guard reported.insert(fault).inserted else { return [] }
    return [
      .log(
        LogMessage(
          .store, .warning, "the log of disclosures is broken: the log or one of its files was changed",
          ["fault": "\(fault)", "remedy": "onefix log --verify lists all faults; the gateway continues to serve"]))
    ]
  }

  private mutating func note(_ condition: Condition, _ error: any Error) -> [Action] {
    guard self.condition != condition else { return [] }
    if case (.unreadable, .unmaintained) = (self.condition, condition) { return [] }
    if case .broken = self.condition {} else { self.condition = condition }
    return [.log(LogMessage(.store, .warning, "cannot maintain the log of disclosures", ["cause": "\(error)"]))]
  }

  /// Whether the log has to be verified again. After a fault of the disk, a new verification can succeed.
  var needsVerification: Bool {
    switch condition {
    case .unchecked, .unreadable, .unmaintained: true
    case .good, .broken: false
    }
  }

  func beginVerification() throws(StoreError) -> LogVerifier { try store.beginVerification() }

  /// - Returns: False if the whole log has been verified.
  func continueVerification(_ verifier: inout LogVerifier) throws(StoreError) -> Bool {
    try store.continueVerification(&verifier, entries: Self.verifiedAtOnce)
  }

  /// The number of entries that are verified between two pauses for other work.
  private static let verifiedAtOnce = 200

  // MARK: State

  var pendingChanges: Int {
    pending.records.count + pending.answers.count + (pending.lock == nil ? 0 : 1)
  }

  var hasChangedRights: Bool { !store.rightsFaults.isEmpty }

  func entries(newest count: Int) -> [LogEntry] {
    (try? store.entries(newestFirst: true, limit: count).reversed()) ?? []
  }

  /// Returns entries of the log, oldest first. If `after` is nil, the result contains the latest entries. Otherwise, it
  /// contains the first entries after the entry `after`.
  func entries(since: UTCTime?, app: AppID?, limit: Int, after: Int?) throws(StoreError) -> [LogEntry] {
    if let after { return try store.entries(after: Int64(after), since: since, app: app, limit: limit) }
    return try store.entries(since: since, app: app, newestFirst: true, limit: limit).reversed()
  }

  /// Returns the counts of requests without a fix. They include the counts that are not saved yet.
  func answers(since: UTCTime?) throws(StoreError) -> [(key: AnswerKey, count: Int)] {
    var counts = answers.filter { $0.key.day >= since?.day ?? "" }
    for (key, count) in try store.answers(since: since) { counts[key, default: 0] += count }
    return counts.sorted { ($0.key.day, $0.key.app, $0.key.answer) < ($1.key.day, $1.key.app, $1.key.answer) }
      .map { ($0.key, $0.value) }
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

  // MARK: Sealed values

  /// Saves the regions. Returns the cause of a failure.
  mutating func save(_ regions: SealedRegions) -> String? {
    do {
      try timed(.sealed) { store, _ throws(StoreError) in try regions.save(in: store) }
      return nil
    } catch {
      return "\(error)"
    }
  }

  mutating func seal(_ bytes: [UInt8], as name: String, isRevocation: Bool = false) throws(StoreError) {
    try timed(.sealed) { store, _ throws(StoreError) in
      try store.seal(bytes, as: name, isRevocation: isRevocation)
    }
  }

  mutating func erase(_ name: String) throws(StoreError) {
    try timed(.sealed) { store, _ throws(StoreError) in try store.erase(name) }
  }

  func unseal(_ name: String) throws(StoreError) -> [UInt8]? { try store.unseal(name) }

  func close() { store.close() }

  /// Writes to the store, and measures the time until the data is durable.
  private mutating func timed<Result>(
    _ kind: StoreWrite, _ write: (StateStore, ClockReading) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let start = clock()
    do {
      let result = try write(store, start)
      writes[kind.rawValue]?.observe(clock().monotonic - start.monotonic)
      return result
    } catch {
      failedWrites[kind.rawValue, default: 0] += 1
      throw error
    }
  }
}

extension LogKeeper: DisclosureLog {
  mutating func savePending(except app: AppID?) throws(StoreError) {
    try recordAnswers()
    for record in pending.records.values where record.app != app {
      try timed(.right) { store, clock throws(StoreError) in try store.save(record, now: clock) }
      pending.records[record.app] = nil
    }
    if let lock = pending.lock { try timed(.right) { store, _ throws(StoreError) in try store.saveLock(lock) } }
    pending.lock = nil
    // A withdrawn fix must not appear again after a restart, so the withdrawal is saved before the next disclosure.
    for settlement in pending.settlements where settlement.outcome == .erased {
      try settle(settlement.fix, settlement.outcome)
      pending.settlements.removeAll { $0.fix.number == settlement.fix.number }
    }
    if pending.records.isEmpty { pending.cause = nil }
  }

  mutating func open(_ entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?) throws(StoreError)
    -> Int64
  {
    let number = try timed(.disclosure) { store, clock throws(StoreError) in
      try store.openDisclosure(entry, record: record, sealing: memory.map { ($0.name, $0.bytes) }, now: clock)
    }
    pending.records[record.app] = nil
    return number
  }

  mutating func openInterval(
    _ entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?
  ) throws(StoreError) -> Int64 {
    try timed(.disclosure) { store, clock throws(StoreError) in
      try store.openInterval(entry, record: record, sealing: memory.map { ($0.name, $0.bytes) }, now: clock)
    }
  }

  mutating func keep(
    _ fix: OutboxFix, as entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?
  ) throws(StoreError) -> OutboxEntry {
    let waiting = try timed(.disclosure) { store, clock throws(StoreError) in
      try store.keep(fix, as: entry, record: record, sealing: memory.map { ($0.name, $0.bytes) }, now: clock)
    }
    pending.records[record.app] = nil
    return waiting
  }

  mutating func postpone(_ fix: OutboxEntry) throws(StoreError) -> OutboxEntry {
    try timed(.disclosure) { store, clock throws(StoreError) in try store.postpone(fix, now: clock) }
  }

  func content(of fix: OutboxEntry) throws(StoreError) -> [UInt8] { try store.content(of: fix) }

  mutating func seal(_ memory: SealedMemory) throws(StoreError) { try seal(memory.bytes, as: memory.name) }
}

enum StoreWrite: String, CaseIterable {
  /// The log entry of a disclosure. The gateway writes the entry before the disclosure.
  case disclosure
  case outcome
  /// The right of an app, or the state of the kill switch.
  case right
  /// Sealed values: keys, regions and the memory of the cloak, which computes approximate positions.
  case sealed
  case upkeep

  static func each<Value>(_ value: Value) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, value) })
  }
}
