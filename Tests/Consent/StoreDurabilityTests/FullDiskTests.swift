import Authorization
import Base
import Glibc
import LineProtocol
import StateStore
import StoreScenario
import Synchronization
import Testing

/// A simulated disk with limited space.
private final class SmallDisk: Sendable {
  private struct State {
    var freeBytes: Int
    var sizes: [String: Int] = [:]
  }

  private let state: Mutex<State>

  init(freeBytes: Int) { state = Mutex(State(freeBytes: freeBytes)) }

  func setFreeBytes(_ count: Int) { state.withLock { $0.freeBytes = count } }

  /// Applies a change and returns its error code; 0 if there is space for it.
  func apply(_ change: Recording.Change, _ path: String, _ isSQLite: Bool) -> Int32 {
    state.withLock { state in
      let size = state.sizes[path] ?? 0
      switch change {
      case .write(_, let offset, let bytes):
        let growth = max(0, offset + bytes.count - size)
        // 13 is SQLITE_FULL.
        guard growth <= state.freeBytes else { return isSQLite ? 13 : ENOSPC }
        state.freeBytes -= growth
        state.sizes[path] = size + growth
      case .allocate(_, let new):
        guard new - size <= state.freeBytes else { return ENOSPC }
        state.freeBytes -= new - size
        state.sizes[path] = new
      case .truncate(_, let new):
        state.freeBytes += size - new
        state.sizes[path] = new
      case .remove:
        state.freeBytes += size
        state.sizes[path] = nil
      case .rename(let from, let to, _):
        state.freeBytes += state.sizes[to] ?? 0
        state.sizes[to] = state.sizes.removeValue(forKey: from)
      case .create, .link, .synchronize, .synchronizeDirectory, .mark: break
      }
      return 0
    }
  }
}

@Suite struct FullDiskTests {
  private static let entry = DisclosureEntry(
    app: Scenario.ferry, accuracy: .full, right: .once, transport: "unix", isSimulated: true)

  private static func record(_ app: AppID, _ served: Int64, _ status: AuthorizationStatus = .whenInUse) -> AppRecord {
    var record = AppRecord(app: app, status: status)
    record.lastServed = served
    return record
  }

  /// Runs `body` on a disk whose space is sufficient to open the store.
  private static func onSmallDisk(
    _ name: String, _ body: (SmallDisk, _ statePath: String, _ open: () throws -> StateStore) throws -> Void
  ) throws {
    let scratch = try ScratchDirectory()
    defer { scratch.remove() }
    let disk = SmallDisk(freeBytes: 4 << 20)
    try Recording(name) { disk.apply($0, $1, $2) }.record {
      let scenario = Scenario(directory: scratch.path)
      let key = try DeviceKey(readingOrMaking: scenario.keyPath)
      try body(disk, scenario.statePath) {
        try StateStore(
          directory: scenario.statePath, key: key, anchor: scenario.anchorPath, boot: "first", now: Scenario.clock(0))
      }
    }
  }

  /// In each round the disk becomes full after a different number of bytes.
  @Test func `when the disk becomes full at any point, disclosures stop and revocations can be written`() throws {
    for round in 0..<24 {
      try Self.onSmallDisk("full-\(round)") { disk, statePath, open in
        let store = try open()
        try store.save(Self.record(Scenario.ferry, 0), now: Scenario.clock(0))
        disk.setFreeBytes(1024 * (1 + round * 7))
        var sequences: [Int64] = []
        let refusal = try #require(throws: StoreError.self) {
          while sequences.count < 1000 {
            sequences.append(
              try store.openDisclosure(
                Self.entry, record: Self.record(Scenario.ferry, Int64(sequences.count)), now: Scenario.clock(1)))
          }
        }
        #expect(refusal.kind == .full)
        // A new right may be written if the WAL has free space, but it never uses the reserve.
        disk.setFreeBytes(0)
        _ = try? store.save(Self.record(Scenario.harbour, 0, .always), now: Scenario.clock(2))
        _ = try? store.saveLock(false)
        #expect(unsafe access(statePath + "/onefix.reserve", F_OK) == 0)
        // At least 60 revocations can be written.
        for number in 0..<60 {
          try store.save(Self.record(Scenario.ferry, Int64(number), .denied), now: Scenario.clock(3))
          try store.saveLock(true)
        }
        // Without the reserve nothing is disclosed, even if there is space for the disclosure.
        disk.setFreeBytes(200_000)
        let later = try #require(throws: StoreError.self) {
          _ = try store.openDisclosure(Self.entry, record: Self.record(Scenario.ferry, 1), now: Scenario.clock(4))
        }
        #expect(later.kind == .full)
        #expect(later.cause == "no space left on device")
        store.close()
        let restarted = try open()
        let state = try restarted.load(now: Scenario.clock(5))
        #expect(state.isLocked && state.apps.first == Self.record(Scenario.ferry, 59, .denied))
        #expect(try restarted.verifyLog().isGood)
        let opened = try restarted.entries(limit: 10_000).count {
          if case .disclosure = $0.event { true } else { false }
        }
        #expect(opened == sequences.count)
        disk.setFreeBytes(4 << 20)
        _ = try restarted.openDisclosure(
          Self.entry, record: Self.record(Scenario.ferry, 60, .denied), now: Scenario.clock(6))
        #expect(try restarted.verifyLog().isGood)
        #expect(try restarted.anchor(now: Scenario.clock(7)) == nil)
      }
    }
  }

  /// Fills the rest of the disk, and the rest of the write-ahead log, with records that take no permission away. Each
  /// record has another place in the order of service, and another pause of the prompts.
  private static func fill(_ disk: SmallDisk, of store: StateStore) throws {
    try store.save(record(Scenario.harbour, 0), now: Scenario.clock(0))
    disk.setFreeBytes(0)
    let refusal = try #require(throws: StoreError.self) {
      for number in 1...1000 {
        var next = record(Scenario.harbour, Int64(number))
        next.promptPause = PromptPause(
          until: Scenario.clock(1).monotonic + .seconds(number), length: .seconds(number))
        next.hasAskedUpgrade = number > 1
        try store.save(next, now: Scenario.clock(1))
      }
    }
    #expect(refusal.kind == .full)
  }

  @Test func `on a full disk, a record that takes no permission away leaves the reserve to revocations`() throws {
    try Self.onSmallDisk("reserve-kept") { disk, statePath, open in
      let store = try open()
      try Self.fill(disk, of: store)
      // The first request of an app takes nothing away, also with the accuracy that the configuration gives.
      var first = Self.record(Scenario.ferry, 0, .notDetermined)
      first.accuracy = .reduced
      let refusal = try #require(throws: StoreError.self) { try store.save(first, now: Scenario.clock(1)) }
      #expect(refusal.kind == .full)
      #expect(unsafe access(statePath + "/onefix.reserve", F_OK) == 0)
      try store.save(Self.record(Scenario.harbour, 0, .denied), now: Scenario.clock(2))
      store.close()
      let apps = try open().load(now: Scenario.clock(3)).apps
      #expect(apps == [Self.record(Scenario.harbour, 0, .denied)])
    }
  }

  /// Each row has the saved record, or nil if the store has none, and the record that takes a permission away.
  private static let revocations: [(before: AppRecord?, after: AppRecord)] = {
    let standing = record(Scenario.ferry, 0, .always)
    var rough = standing
    rough.accuracy = .reduced
    var confirmed = record(Scenario.ferry, 0, .notDetermined)
    confirmed.isButtonConfirmed = true
    var (limited, shorter) = (standing, standing)
    limited.timeLimit = TimeLimit(end: Scenario.clock(60).boot, formerStatus: .whenInUse)
    shorter.timeLimit = TimeLimit(end: Scenario.clock(30).boot, formerStatus: .whenInUse)
    var provisional = record(Scenario.ferry, 0)
    provisional.isProvisional = true
    return [
      (standing, record(Scenario.ferry, 0)), (standing, rough), (confirmed, record(Scenario.ferry, 0, .notDetermined)),
      (standing, limited), (limited, shorter), (provisional, record(Scenario.ferry, 0)),
      (nil, AppRecord(app: Scenario.ferry, status: .denied)), (nil, AppRecord(app: Scenario.ferry, accuracy: .reduced)),
    ]
  }()

  @Test(arguments: revocations.indices)
  func `on a full disk, each record that takes a permission away uses the reserve`(row: Int) throws {
    try Self.onSmallDisk("reserve-used-\(row)") { disk, statePath, open in
      let (before, after) = Self.revocations[row]
      let store = try open()
      if let before { try store.save(before, now: Scenario.clock(0)) }
      try Self.fill(disk, of: store)
      try store.save(after, now: Scenario.clock(1))
      #expect(unsafe access(statePath + "/onefix.reserve", F_OK) != 0)
      #expect(try store.load(now: Scenario.clock(1)).apps.contains(after))
      store.close()
    }
  }

  /// The outbox holds the maximum number of fixes, with the size that they have if OwnTracks is configured.
  @Test func `when the disk becomes full at any point, fixes in the outbox can be withdrawn`() throws {
    var withdrawn = 0
    for round in 0..<12 {
      try Self.onSmallDisk("outbox-\(round)") { disk, _, open in
        let store = try open()
        try store.save(Self.record(Scenario.ferry, 0), now: Scenario.clock(0))
        disk.setFreeBytes(1024 * (64 + round * 61))
        do {
          for number in 0..<64 {
            _ = try store.keep(
              OutboxFix(
                sink: "mqtt://broker ferry", expires: Scenario.clock(9).utc, bytes: [UInt8](repeating: 7, count: 700)),
              as: Self.entry, record: Self.record(Scenario.ferry, Int64(number)), now: Scenario.clock(1))
          }
        } catch let error as StoreError where error.kind == .full {
          // The test needs a full disk.
        }
        disk.setFreeBytes(0)
        for fix in try store.waitingFixes() {
          try store.settle(fix, withdrawn.isMultiple(of: 2) ? .erased : .lost, now: Scenario.clock(2))
          withdrawn += 1
        }
        try store.saveLock(true)
        #expect(try store.waitingFixes().isEmpty && store.verifyLog().isGood)
        store.close()
      }
    }
    #expect(withdrawn > 100)
  }

  /// The value has the size of 32 places whose names 32 apps may know.
  @Test func `when the disk becomes full at any point, a sealed value that gives no new right can be written`() throws {
    for round in 0..<12 {
      try Self.onSmallDisk("sealed-\(round)") { disk, statePath, open in
        let store = try open()
        try store.seal([UInt8](repeating: 7, count: 36_000), as: "places")
        disk.setFreeBytes(1024 * (1 + round * 7))
        let refusal = try #require(throws: StoreError.self) {
          for _ in 0..<1000 { try store.seal([UInt8](repeating: 9, count: 36_000), as: "other") }
        }
        #expect(refusal.kind == .full)
        disk.setFreeBytes(0)
        #expect(unsafe access(statePath + "/onefix.reserve", F_OK) == 0)
        try store.seal([UInt8](repeating: 8, count: 35_000), as: "places", isRevocation: true)
        #expect(try store.unseal("places") == [UInt8](repeating: 8, count: 35_000))
        // Other revocations still fit.
        for number in 0..<20 {
          try store.save(Self.record(Scenario.ferry, Int64(number), .denied), now: Scenario.clock(3))
        }
        try store.saveLock(true)
        store.close()
      }
    }
  }
}
