import Authorization
import Base
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

/// A store that an earlier run of the gateway left with a right that ends at 3,600 s.
private struct Left {
  let directory: TemporaryDirectory
  let record: AppRecord

  init(boot: String = "first") throws {
    directory = try TemporaryDirectory()
    var record = AppRecord(app: ferry, status: .always)
    record.timeLimit = TimeLimit(end: clock().boot + .seconds(3600), formerStatus: .whenInUse, wasProvisional: true)
    self.record = record
    try directory.open(boot: boot).save(record, now: clock())
  }

  func load(boot: String, at now: ClockReading, trustsClock: Bool = true) throws -> AppRecord? {
    let store = try directory.open(now, boot: boot)
    #expect(store.stateFaults == [])
    return try store.load(now: now, trustsClock: trustsClock).apps.first
  }
}

/// Returns the time until the end of the record's right.
private func rest(_ record: AppRecord?, at now: ClockReading) -> Duration? {
  record?.timeLimit.map { $0.end - now.boot }
}

@Test(arguments: [-86_400, 0, 86_400] as [Int64])
func `D6: in the same boot the end does not depend on the wall clock`(step: Int64) throws {
  let left = try Left()
  let later = ClockReading(monotonic: clock(600).monotonic, utc: clock(600 + step).utc, suspended: .seconds(1000))
  let loaded = try left.load(boot: "first", at: later, trustsClock: false)
  #expect(loaded == left.record)
  #expect(rest(loaded, at: later) == .seconds(2000))
}

@Test func `D6: after another boot the time in UTC counts if the clock is right`() throws {
  let left = try Left()
  // A clock that shows the time of the save again may be right.
  for (seconds, expected) in [(0, 3600), (600, 3000), (4000, -400)] as [(Int64, Int64)] {
    let later = clock(seconds, boot: 7)
    #expect(rest(try left.load(boot: "second", at: later), at: later) == .seconds(expected))
  }
}

@Test(
  arguments: [
    ("first", "second", 600, false), ("first", "second", -1, true), ("first", "", 600, false), ("", "", 600, false),
  ] as [(String, String, Int64, Bool)])
func `D6: without a right clock or a known boot the right ends at the start`(
  savedIn: String, boot: String, seconds: Int64, trustsClock: Bool
) throws {
  let left = try Left(boot: savedIn)
  let later = clock(seconds, boot: 7)
  #expect(rest(try left.load(boot: boot, at: later, trustsClock: trustsClock), at: later) == .zero)
}

@Test(arguments: ["first", "second"])
func `D6: no end is later than the longest time from now`(boot: String) throws {
  let latest = clock().boot + Authorization.Bounds.longestTimeLimit
  for (end, expected) in [(latest, latest), (latest + .seconds(1), latest), (latest + .seconds(-1), nil)] {
    let stored = StoredTimeLimit(TimeLimit(end: end, formerStatus: .denied), boot: "first", at: clock())
    #expect(stored.limit(in: boot, at: clock(), trustsClock: true).end == expected ?? end)
  }
}

@Test func `D6: an end in the database has six words, and each has its form`() throws {
  let limit = TimeLimit(end: clock(60).boot, formerStatus: .whenInUse, wasProvisional: true)
  let stored = StoredTimeLimit(limit, boot: "first", at: clock())
  let words = stored.text.split(separator: " ").map(String.init)
  #expect(StoredTimeLimit(stored.text) == stored)
  var wrong = [Array(words.dropLast()), words + ["-"]]
  for index in 1...4 {
    var changed = words
    changed[index] = "x"
    wrong.append(changed)
  }
  for words in wrong { #expect(StoredTimeLimit(words.joined(separator: " ")) == nil, "\(words)") }
}

@Test func `D6: a right without an end counts as more than the same right with an end`() {
  var limited = AppRecord(app: ferry, status: .always)
  limited.timeLimit = TimeLimit(end: clock(60).boot, formerStatus: .denied)
  var longer = limited
  longer.timeLimit?.end = clock(61).boot
  #expect(AppRecord(app: ferry, status: .always).grantsMore(than: limited) && longer.grantsMore(than: limited))
  #expect(!limited.grantsMore(than: longer) && !AppRecord(app: ferry, status: .denied).grantsMore(than: limited))
}
