import StateStore
import StoreScenario
import Synchronization
import Testing

@Suite struct ReserveTests {
  private enum Step { case failedWrite, removedReserve, truncatedLog }

  /// 13 is SQLITE_FULL, and 778 is SQLITE_IOERR_WRITE.
  @Test(arguments: [13, 778] as [Int32])
  func `a revocation that cannot be written uses the reserve first, and then the space of the write-ahead log`(
    code: Int32
  ) throws {
    let scratch = try ScratchDirectory()
    defer { scratch.remove() }
    // The disk has no space as soon as there is a list.
    let steps = Mutex<[Step]?>(nil)
    let recording = try Recording("revocation-\(code)") { change, path, _ in
      steps.withLock { steps in
        guard let past = steps else { return 0 }
        switch change {
        case .write where path.hasSuffix("-wal") && !past.contains(.truncatedLog):
          steps = past + [.failedWrite]
          return code
        case .truncate where path.hasSuffix("-wal"): steps = past + [.truncatedLog]
        case .remove where path.hasSuffix("/onefix.reserve"): steps = past + [.removedReserve]
        default: break
        }
        return 0
      }
    }
    try recording.record {
      let scenario = Scenario(directory: scratch.path)
      let key = try DeviceKey(readingOrMaking: scenario.keyPath)
      let store = try StateStore(directory: scenario.statePath, key: key, now: Scenario.clock(0))
      steps.withLock { $0 = [] }
      try store.saveLock(true)
      #expect(steps.withLock { $0 } == [.failedWrite, .removedReserve, .failedWrite, .truncatedLog])
      #expect(try store.load(now: Scenario.clock(1)).isLocked)
      store.close()
    }
  }

  /// SQLite creates the write-ahead log when it opens the database. 13 is SQLITE_FULL.
  @Test func `on a full disk, the store opens with the space of the reserve, or says that the disk is full`() throws {
    let scratch = try ScratchDirectory()
    defer { scratch.remove() }
    let disk = Mutex((isFull: false, isFreedByReserve: false))
    let recording = try Recording("opening") { change, path, _ in
      disk.withLock { disk in
        switch change {
        case .create where disk.isFull && path.hasSuffix("-wal"): return 13
        case .remove where disk.isFreedByReserve && path.hasSuffix("/onefix.reserve"): disk.isFull = false
        default: break
        }
        return 0
      }
    }
    try recording.record {
      let scenario = Scenario(directory: scratch.path)
      let key = try DeviceKey(readingOrMaking: scenario.keyPath)
      func open() throws -> StateStore {
        try StateStore(directory: scenario.statePath, key: key, now: Scenario.clock(0))
      }
      let first = try open()
      try first.saveLock(true)
      first.close()
      disk.withLock { $0 = (isFull: true, isFreedByReserve: true) }
      let second = try open()
      #expect(try second.load(now: Scenario.clock(1)).isLocked)
      second.close()
      disk.withLock { $0 = (isFull: true, isFreedByReserve: false) }
      let error = try #require(throws: StoreError.self) { _ = try open() }
      #expect(error.kind == .full)
    }
  }
}
