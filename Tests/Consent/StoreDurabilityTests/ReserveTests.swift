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
}
