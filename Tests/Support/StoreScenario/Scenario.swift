package import Authorization
package import Base
package import LineProtocol
package import StateStore

/// The use of a store in steps, from the creation of its key to a restart. A power failure can come between any two
/// changes.
package struct Scenario {
  package enum Step: Int, CaseIterable, Sendable {
    case makeKey
    case open
    /// Opens a prompt without an answer.
    case prompt
    /// Records the answer to the prompt in the log.
    case answer
    /// After the answer the app may use the button.
    case grant
    case disclose
    case acknowledge
    case discloseReduced
    case expire
    case addRegions
    case anchor
    case follow
    case stopFollowing
    case prune
    /// Removes a region, changes another one, and adds a third one.
    case changeRegions
    case anchorAgain
    /// Stores a fix for a broker that is unavailable.
    case keep
    /// Sends the stored fix late and acknowledges it.
    case postpone
    case settle
    /// Stores a fix that still waits after the restart.
    case keepAnother
    /// Removes the right as an owner.
    case deny
    case lock
    /// Another app has a disclosure in flight when the gateway stops.
    case discloseToOther
    case stop
    case restart
    case settleAfterRestart
    case unlock
    case discloseAgain
    case acknowledgeAgain
  }

  /// The content of a store without answers and anchors.
  package struct Contents: Hashable, Sendable {
    package var records: [AppRecord] = []
    package var isLocked = false
    package var memory: [UInt8]?
    package var entries: [LogEntry] = []
    package var waiting: [Waiting] = []
    package var regions: [Int64: [UInt8]] = [:]

    package struct Waiting: Hashable, Sendable {
      package var number: Int64
      package var disclosure: Int64
      package var bytes: [UInt8]
    }
  }

  package static let ferry = AppID("ferry")!
  package static let harbour = AppID("harbour")!

  package let directory: String
  private var key: DeviceKey?
  private var store: StateStore?
  private var opened: [Int64] = []

  package init(directory: String) { self.directory = directory }

  package var keyPath: String { directory + "/device.key" }
  package var anchorPath: String { directory + "/anchor" }
  package var statePath: String { directory + "/state" }

  /// Returns the readings of both clocks at a step.
  package static func clock(_ step: Int) -> ClockReading {
    ClockReading(
      monotonic: MonotonicInstant(nanoseconds: Int64(1000 + step) * 1_000_000_000),
      utc: UTCTime(nanosecondsSince1970: Int64(1_795_246_294 + step * 3600) * 1_000_000_000))
  }

  /// Runs every step in order.
  /// - Parameter taken: Called after each step with the content of the store, or nil if there is no store.
  package mutating func run(_ taken: (Step, Contents?) throws -> Void) throws {
    for step in Step.allCases {
      try take(step)
      try taken(step, try store.map { try Scenario.contents(of: $0) })
    }
    store?.close()
  }

  package static func contents(of store: StateStore) throws -> Contents {
    let state = try store.load(now: clock(0))
    return Contents(
      records: state.apps, isLocked: state.isLocked, memory: try store.unseal("cloak"),
      entries: try store.entries(limit: 1000),
      waiting: try store.waitingFixes().map {
        Contents.Waiting(number: $0.number, disclosure: $0.disclosure, bytes: try store.content(of: $0))
      }, regions: Dictionary(uniqueKeysWithValues: try store.regions().map { ($0.number, $0.bytes) }))
  }

  private static func entry(_ app: AppID, _ accuracy: FixAccuracy) -> DisclosureEntry {
    DisclosureEntry(app: app, accuracy: accuracy, right: .once, transport: "unix", isSimulated: true)
  }

  private static func record(_ app: AppID, served: Int64?) -> AppRecord {
    var record = AppRecord(app: app)
    record.isButtonConfirmed = true
    record.lastServed = served
    return record
  }

  private mutating func take(_ step: Step) throws {
    let (ferry, harbour) = (Scenario.ferry, Scenario.harbour)
    let now = Scenario.clock(step.rawValue)
    switch step {
    case .makeKey: key = try DeviceKey(readingOrMaking: keyPath)
    case .open, .restart:
      guard let key else { return }
      store = try StateStore(directory: statePath, key: key, anchor: anchorPath, now: now)
    case .prompt:
      var record = AppRecord(app: ferry)
      record.promptPause = PromptPause(until: now.monotonic + .seconds(600), length: .seconds(600))
      try store?.save(record, now: now)
    case .answer:
      let answer = AnswerEntry(
        app: ferry, prompt: .confirm, choice: .yes, accuracy: nil, purpose: "To find parks", language: "en",
        way: .button)
      try store?.record(.answer(answer), of: ferry, now: now)
    case .grant: try store?.save(Scenario.record(ferry, served: nil), now: now)
    case .disclose:
      try open {
        try $0.openDisclosure(Scenario.entry(ferry, .full), record: Scenario.record(ferry, served: 1), now: now)
      }
    case .discloseReduced:
      try open {
        try $0.openDisclosure(
          Scenario.entry(ferry, .reduced), record: Scenario.record(ferry, served: 2),
          sealing: ("cloak", [UInt8](repeating: 9, count: 700)), now: now)
      }
    case .acknowledge, .acknowledgeAgain: try close(at: now) { .outcome(.acknowledged, of: $0) }
    case .expire: try close(at: now) { .outcome(.expired, of: $0) }
    case .anchor, .anchorAgain: _ = try store?.anchor(now: now)
    case .addRegions: try store?.save(regions: [1: [1], 2: [2]])
    case .changeRegions:
      try store?.save(regions: [1: nil, 2: [UInt8](repeating: 3, count: 300), 3: [UInt8](repeating: 4, count: 300)])
    case .follow:
      try open {
        try $0.openInterval(Scenario.entry(ferry, .full), record: Scenario.record(ferry, served: 3), now: now)
      }
    case .stopFollowing: try close(at: now) { .end(.stopped, fixes: 12, of: $0) }
    case .prune:
      var pruning = LogPruning(before: Scenario.clock(Step.discloseReduced.rawValue).utc)
      while !pruning.isOver { try store?.continuePruning(&pruning, most: 100, now: now) }
    case .keep, .keepAnother:
      _ = try store?.keep(
        OutboxFix(sink: "mqtt://broker ferry", expires: now.utc, bytes: [UInt8](repeating: 5, count: 400)),
        as: Scenario.entry(ferry, .full), record: Scenario.record(ferry, served: Int64(step.rawValue)), now: now)
    case .postpone: if let fix = try store?.waitingFixes().first { _ = try store?.postpone(fix, now: now) }
    case .settle, .settleAfterRestart:
      if let fix = try store?.waitingFixes().first { try store?.settle(fix, .acknowledged, now: now) }
    case .deny: try store?.save(AppRecord(app: ferry, status: .denied), now: now)
    case .lock: try store?.saveLock(true)
    case .discloseToOther, .discloseAgain:
      try open {
        try $0.openDisclosure(
          Scenario.entry(harbour, .full), record: Scenario.record(harbour, served: Int64(step.rawValue)), now: now)
      }
    case .stop:
      _ = try store?.anchor(now: now)
      store?.close()
      store = nil
    case .unlock: try store?.saveLock(false)
    }
  }

  private mutating func open(_ disclose: (StateStore) throws -> Int64) throws {
    if let store { opened.append(try disclose(store)) }
  }

  private mutating func close(at now: ClockReading, _ event: (Int64) -> LogEntry.Event) throws {
    if let store, let last = opened.popLast() { try store.close([event(last)], now: now) }
  }
}
