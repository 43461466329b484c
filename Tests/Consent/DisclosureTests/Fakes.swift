import Authorization
import Base
import Disclosure
import LineProtocol
import RecordingClients
import StateStore
import Synchronization

/// A step of a disclosure, as the world around the gate sees it.
enum Step: Hashable {
  case use(AppID, until: MonotonicInstant)
  case endUse(AppID)
  case stateOfUpdates
  case savePending(except: AppID?)
  case open(DisclosureEntry, isSealing: Bool)
  case openInterval(DisclosureEntry, isSealing: Bool)
  case keep(DisclosureEntry, isSealing: Bool)
  case postpone(Int64)
  case content(Int64)
  case seal
  case client(RecordingConnection.Call)
  case broker(RecordingBroker.Call)

  /// Whether data goes to a client or a broker.
  var isBytes: Bool {
    switch self {
    case .client, .broker: true
    default: false
    }
  }

  /// Whether the log is written.
  var isWrite: Bool {
    switch self {
    case .savePending, .open, .openInterval, .keep, .postpone, .seal: true
    default: false
    }
  }
}

/// The steps in their order.
final class Journal: Sendable {
  private let state = Mutex([Step]())

  var steps: [Step] { state.withLock { $0 } }

  func note(_ step: Step) { state.withLock { $0.append(step) } }

  func clear() { state.withLock { $0 = [] } }
}

struct FakeIndicator: DisclosureIndicator {
  let journal: Journal
  var state = IndicatorState.on
  var labelRemedy: String?

  mutating func showUse(by app: AppID, until end: MonotonicInstant, at now: MonotonicInstant) -> IndicatorState {
    journal.note(.use(app, until: end))
    return state
  }

  mutating func endUse(by app: AppID) { journal.note(.endUse(app)) }

  func stateOfUpdates(at now: MonotonicInstant) -> IndicatorState {
    journal.note(.stateOfUpdates)
    return state
  }
}

/// A log whose writes can fail. The fixes of the outbox come from a store.
struct FakeLog: DisclosureLog {
  /// The writes that fail.
  enum Write: CaseIterable { case pending, entry, postponement, content, memory }

  let journal: Journal
  let outbox: OutboxFixes
  let clock: ClockReading
  var failing: Set<Write> = []
  var failure = StoreError(.full, "write to", "the log", cause: "no space left")
  private(set) var last: Int64 = 0

  init(_ journal: Journal, _ outbox: OutboxFixes, at clock: ClockReading) {
    self.journal = journal
    self.outbox = outbox
    self.clock = clock
  }

  private func check(_ write: Write) throws(StoreError) { if failing.contains(write) { throw failure } }

  private mutating func number() -> Int64 {
    last += 1
    return last
  }

  mutating func savePending(except app: AppID?) throws(StoreError) {
    try check(.pending)
    journal.note(.savePending(except: app))
  }

  mutating func open(
    _ entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?
  ) throws(StoreError) -> Int64 {
    try check(.entry)
    journal.note(.open(entry, isSealing: memory != nil))
    return number()
  }

  mutating func openInterval(
    _ entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?
  ) throws(StoreError) -> Int64 {
    try check(.entry)
    journal.note(.openInterval(entry, isSealing: memory != nil))
    return number()
  }

  mutating func keep(
    _ fix: OutboxFix, as entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?
  ) throws(StoreError) -> OutboxEntry {
    try check(.entry)
    journal.note(.keep(entry, isSealing: memory != nil))
    return try outbox.store.keep(fix, as: entry, record: record, now: clock)
  }

  mutating func postpone(_ fix: OutboxEntry) throws(StoreError) -> OutboxEntry {
    try check(.postponement)
    journal.note(.postpone(fix.number))
    return try outbox.store.postpone(fix, now: clock)
  }

  func content(of fix: OutboxEntry) throws(StoreError) -> [UInt8] {
    try check(.content)
    journal.note(.content(fix.number))
    return try outbox.store.content(of: fix)
  }

  mutating func seal(_ memory: SealedMemory) throws(StoreError) {
    try check(.memory)
    journal.note(.seal)
  }
}
