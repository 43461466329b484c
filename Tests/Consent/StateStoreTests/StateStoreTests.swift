import Authorization
import Base
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

let key = DeviceKey(bytes: [UInt8](repeating: 7, count: 32))!
let ferry = AppID("ferry")!
let harbour = AppID("harbour")!

/// Returns a reading of both clocks, some seconds after a fixed time.
func clock(_ seconds: Int64 = 0, boot: Int64 = 1000) -> ClockReading {
  ClockReading(
    monotonic: MonotonicInstant(nanoseconds: (boot + seconds) * 1_000_000_000),
    utc: UTCTime(nanosecondsSince1970: (1_795_246_294 + seconds) * 1_000_000_000))
}

extension StateStore {
  /// Writes an outcome or an end.
  ///
  /// - Returns: Whether the log got a new entry.
  @discardableResult
  func close(_ event: LogEntry.Event, now: ClockReading) throws -> Bool {
    let before = try entries(newestFirst: true, limit: 1)
    try close([event], now: now)
    return try entries(newestFirst: true, limit: 1) != before
  }
}

@Test func `a new store has no apps and is not locked`() throws {
  let directory = try TemporaryDirectory()
  let store = try StateStore(directory: directory.path("a/b"), key: key, now: clock())
  let state = try store.load(now: clock())
  #expect(state.apps.isEmpty)
  #expect(!state.isLocked)
  #expect(store.lostDisclosures.isEmpty)
  #expect(directory.mode("a/b/onefix.sqlite") == 0o600)
  #expect(directory.mode("a/b/onefix.sqlite-wal") == 0o600)
  #expect(directory.mode("a/b") == 0o700)
}

@Test func `every field of every record survives a restart`() throws {
  let directory = try TemporaryDirectory()
  var records: [AppRecord] = []
  for status in AuthorizationStatus.allCases {
    for accuracy in FixAccuracy.allCases {
      for bits in 0..<8 {
        var record = AppRecord(
          app: try #require(AppID("app-\(status.rawValue.lowercased())-\(accuracy)-\(bits)")), status: status,
          accuracy: accuracy)
        record.isProvisional = bits & 1 != 0
        record.isButtonConfirmed = bits & 2 != 0
        record.hasAskedUpgrade = bits & 4 != 0
        record.lastServed = bits == 0 ? nil : Int64.max - Int64(bits)
        records.append(record)
      }
    }
  }
  do {
    let store = try StateStore(directory: directory.path, key: key, now: clock())
    for record in records {
      try store.save(AppRecord(app: record.app, status: .denied, accuracy: .reduced), now: clock())
      try store.save(record, now: clock())
    }
    try store.saveLock(true)
  }
  let store = try StateStore(directory: directory.path, key: key, now: clock())
  let state = try store.load(now: clock())
  #expect(state.apps == records.sorted { $0.app < $1.app })
  #expect(state.isLocked)
  try store.saveLock(false)
  try store.remove(records[0].app)
  #expect(try store.load(now: clock()).isLocked == false)
  #expect(try store.load(now: clock()).apps.count == records.count - 1)
}

@Test func `a pause of prompts continues after a reboot resets the monotonic clock`() throws {
  let directory = try TemporaryDirectory()
  var record = AppRecord(app: ferry)
  record.promptPause = PromptPause(until: clock(600).monotonic, length: .seconds(600))
  do {
    let store = try StateStore(directory: directory.path, key: key, now: clock())
    try store.save(record, now: clock())
    #expect(try store.load(now: clock()).apps == [record])
  }
  let store = try StateStore(directory: directory.path, key: key, now: clock())
  let loaded = try #require(try store.load(now: clock(100, boot: 5)).apps.first?.promptPause)
  #expect(loaded.until == clock(600, boot: 5).monotonic)
  #expect(loaded.length == .seconds(600))
}

@Test(arguments: [Int64(-400), -86_400, -1_000_000_000])
func `a pause ends within a day even if the wall clock jumped back`(jump: Int64) throws {
  let directory = try TemporaryDirectory()
  let store = try StateStore(directory: directory.path, key: key, now: clock())
  var record = AppRecord(app: ferry)
  record.promptPause = PromptPause(until: clock(86_000).monotonic, length: .seconds(86_400))
  try store.save(record, now: clock())
  let now = ClockReading(monotonic: clock().monotonic, utc: clock(jump).utc)
  let pause = try #require(try store.load(now: now).apps.first?.promptPause)
  #expect(pause.until - now.monotonic == .seconds(min(86_000 - jump, 86_400)))
}

@Test func `a pause that has ended keeps its length, which the next pause doubles`() throws {
  let directory = try TemporaryDirectory()
  let store = try StateStore(directory: directory.path, key: key, now: clock())
  var record = AppRecord(app: ferry)
  record.promptPause = PromptPause(until: clock(600).monotonic, length: .seconds(1200))
  try store.save(record, now: clock())
  #expect(try store.load(now: clock(10_000)).apps == [record])
}

@Test func `the status that an app still sees survives a reboot, for a day at most`() throws {
  let directory = try TemporaryDirectory()
  var record = AppRecord(app: ferry, status: .whenInUse)
  record.seesAlwaysUntil = clock(80_000).monotonic
  do {
    let store = try StateStore(directory: directory.path, key: key, now: clock())
    try store.save(record, now: clock())
    #expect(try store.load(now: clock()).apps == [record])
  }
  let store = try StateStore(directory: directory.path, key: key, now: clock())
  let loaded = try #require(try store.load(now: clock(100, boot: 5)).apps.first)
  #expect(loaded.seesAlwaysUntil == clock(80_000, boot: 5).monotonic)
  let jumped = ClockReading(monotonic: clock().monotonic, utc: clock(-1_000_000).utc)
  #expect(try store.load(now: jumped).apps.first?.seesAlwaysUntil == jumped.monotonic + .seconds(86_400))
}
