import Authorization
import Clocks
import Glibc
import StateStore
import StoreScenario
import Synchronization
import Testing

/// A disk with only so much room.
private final class SmallDisk: Sendable {
  private struct State {
    var room: Int
    var sizes: [String: Int] = [:]
  }

  private let state: Mutex<State>

  init(room: Int) { state = Mutex(State(room: room)) }

  func setRoom(_ room: Int) { state.withLock { $0.room = room } }

  var room: Int { state.withLock { $0.room } }

  func judge(_ change: Recording.Change, _ path: String, _ isSQLite: Bool) -> Int32 {
    state.withLock { state in
      let size = state.sizes[path] ?? 0
      switch change {
      case .write(_, let offset, let bytes):
        let growth = max(0, offset + bytes.count - size)
        // SQLITE_FULL
        guard growth <= state.room else { return isSQLite ? 13 : ENOSPC }
        state.room -= growth
        state.sizes[path] = size + growth
      case .allocate(_, let new):
        guard new - size <= state.room else { return ENOSPC }
        state.room -= new - size
        state.sizes[path] = new
      case .truncate(_, let new):
        state.room += size - new
        state.sizes[path] = new
      case .remove:
        state.room += size
        state.sizes[path] = nil
      case .rename(let from, let to, _):
        state.room += state.sizes[to] ?? 0
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

  private static func record(_ app: AppID, _ served: Int64, _ status: Status = .whenInUse) -> AppRecord {
    var record = AppRecord(app: app, status: status)
    record.lastServed = served
    return record
  }

  /// The disk is full after one, two, … kilobytes more than what an empty store takes.
  @Test func `wherever a disk becomes full, disclosures end and revocations fit`() throws {
    var (withheld, revoked) = (0, 0)
    for round in 0..<24 {
      let place = try Place()
      defer { place.remove() }
      // More than enough to open it.
      let disk = SmallDisk(room: 4 << 20)
      let recording = try Recording("full-\(round)") { disk.judge($0, $1, $2) }
      try recording.record {
        let scenario = Scenario(directory: place.path)
        let key = try DeviceKey(readingOrMaking: scenario.keyPath)
        func open() throws -> StateStore {
          try StateStore(
            directory: scenario.statePath, key: key, anchor: scenario.anchorPath, now: Scenario.clock(0))
        }
        let store = try open()
        try store.save(Self.record(Scenario.ferry, 0), now: Scenario.clock(0))
        disk.setRoom(1024 * (1 + round * 7))
        var given: [Int64] = []
        let refusal = try #require(throws: StoreError.self) {
          while given.count < 1000 {
            given.append(
              try store.openDisclosure(
                Self.entry, record: Self.record(Scenario.ferry, Int64(given.count)), now: Scenario.clock(1)))
          }
        }
        #expect(refusal.kind == .full)
        withheld += 1
        // What gives a right fits where old room is left in the WAL, and does not touch what is kept.
        disk.setRoom(0)
        _ = try? store.save(Self.record(Scenario.harbour, 0, .always), now: Scenario.clock(2))
        _ = try? store.saveLock(false)
        #expect(unsafe access(scenario.statePath + "/onefix.reserve", F_OK) == 0)
        // What takes one away is: at least so often.
        for number in 0..<60 {
          try store.save(Self.record(Scenario.ferry, Int64(number), .denied), now: Scenario.clock(3))
          try store.saveLock(true)
          revoked += 2
        }
        // Until the room is there again nothing is given, though a disclosure would fit.
        disk.setRoom(200_000)
        let later = try #require(throws: StoreError.self) {
          _ = try store.openDisclosure(Self.entry, record: Self.record(Scenario.ferry, 1), now: Scenario.clock(4))
        }
        #expect(later.kind == .full)
        #expect(later.cause == "no space left on device")
        store.close()
        let restarted = try open()
        let state = try restarted.load(now: Scenario.clock(5))
        #expect(state.isLocked)
        #expect(state.apps.first == Self.record(Scenario.ferry, 59, .denied))
        #expect(try restarted.verifyLog().isGood)
        let opened = try restarted.entries(limit: 10_000).count {
          if case .disclosure = $0.event { true } else { false }
        }
        #expect(opened == given.count)
        disk.setRoom(4 << 20)
        _ = try restarted.openDisclosure(
          Self.entry, record: Self.record(Scenario.ferry, 60, .denied), now: Scenario.clock(6))
        #expect(try restarted.verifyLog().isGood)
        #expect(try restarted.anchor(now: Scenario.clock(7)) == nil)
      }
    }
    print("full disks: \(withheld) disks filled, \(revoked) revocations written on them")
  }

  /// As many fixes as may wait for a broker, of the size that they have with OwnTracks beside them.
  @Test func `wherever a disk becomes full, what waits for a broker can be withdrawn`() throws {
    var withdrawn = 0
    for round in 0..<12 {
      let place = try Place()
      defer { place.remove() }
      let disk = SmallDisk(room: 4 << 20)
      let recording = try Recording("outbox-\(round)") { disk.judge($0, $1, $2) }
      try recording.record {
        let scenario = Scenario(directory: place.path)
        let key = try DeviceKey(readingOrMaking: scenario.keyPath)
        let store = try StateStore(
          directory: scenario.statePath, key: key, anchor: scenario.anchorPath, now: Scenario.clock(0))
        try store.save(Self.record(Scenario.ferry, 0), now: Scenario.clock(0))
        disk.setRoom(1024 * (64 + round * 61))
        do {
          for number in 0..<64 {
            _ = try store.keep(
              KeptFix(
                bridge: "mqtt://broker ferry", expires: Scenario.clock(9).utc, bytes: [UInt8](repeating: 7, count: 700)),
              as: Self.entry, record: Self.record(Scenario.ferry, Int64(number)), now: Scenario.clock(1))
          }
        } catch let error as StoreError where error.kind == .full {
          // That is what it is about.
        }
        disk.setRoom(0)
        for fix in try store.waitingFixes() {
          try store.settle(fix, .erased, now: Scenario.clock(2))
          withdrawn += 1
        }
        try store.saveLock(true)
        #expect(try store.waitingFixes().isEmpty)
        #expect(try store.verifyLog().isGood)
        store.close()
      }
    }
    print("full disks: \(withdrawn) fixes withdrawn on them")
    #expect(withdrawn > 100)
  }
}
