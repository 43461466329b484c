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

  init(at now: ClockReading = clock(), boot: String = "first") throws {
    directory = try TemporaryDirectory()
    var record = AppRecord(app: ferry, status: .always)
    record.timeLimit = TimeLimit(end: now.boot + .seconds(3600), formerStatus: .whenInUse, wasProvisional: true)
    self.record = record
    try directory.open(now, boot: boot).save(record, now: now)
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
  let later = clock(600, boot: 7)
  #expect(rest(try left.load(boot: "second", at: later), at: later) == .seconds(3000))
  let ended = clock(4000, boot: 7)
  #expect(rest(try left.load(boot: "second", at: ended), at: ended) == .seconds(-400))
}

@Test(arguments: [("second", 600, false), ("second", -1, true), ("", 600, false)] as [(String, Int64, Bool)])
func `D6: without a right clock or a known boot the right ends at the start`(
  boot: String, seconds: Int64, trustsClock: Bool
) throws {
  let left = try Left()
  let later = clock(seconds, boot: 7)
  #expect(rest(try left.load(boot: boot, at: later, trustsClock: trustsClock), at: later) == .zero)
}

@Test func `D6: a clock that shows the time of the save again may be right`() throws {
  let left = try Left()
  let now = clock(0, boot: 7)
  #expect(rest(try left.load(boot: "second", at: now), at: now) == .seconds(3600))
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

@Test func `D6: a boot without an identifier is another boot after each start`() throws {
  let left = try Left(boot: "")
  #expect(rest(try left.load(boot: "", at: clock(10), trustsClock: false), at: clock(10)) == .zero)
}

@Test func `D6: a changed end is detected, and denies the app`() throws {
  let left = try Left()
  try left.directory.change("UPDATE app SET time_limit = NULL")
  let store = try left.directory.open(boot: "first")
  #expect(store.stateFaults == [.changed(app: "ferry")])
  #expect(try store.load(now: clock()).apps.first?.status == .denied)
}

@Test func `D6: the entry of an end is in the chain of the log`() throws {
  let directory = try TemporaryDirectory()
  let store = try directory.open()
  try store.record(.rightEnd(of: .always, .denied), of: ferry, now: clock(5))
  let entries = try store.entries(limit: 10)
  #expect(entries.map(\.event) == [.rightEnd(of: .always, .denied)] && entries.map(\.app) == [ferry])
  #expect(try store.verifyLog().isGood)
}

@Test func `D6: an unsaved end is not longer after a restart of the daemon`() throws {
  let directory = try TemporaryDirectory()
  let copy = directory.path("copy")
  let store = try directory.open(boot: "first")
  try store.save(AppRecord(app: ferry, status: .always), now: clock())
  // An owner denied the app, and then allowed the app for a time. Neither change was saved.
  var record = AppRecord(app: ferry, status: .whenInUse)
  record.timeLimit = TimeLimit(end: clock(60).boot, formerStatus: .denied)
  try store.copy(UnsavedChanges(records: [record], isLocked: false, values: [:]), to: copy)
  try store.adoptCopy(copy, now: clock())
  #expect(try store.load(now: clock()).apps == [record])
}

@Test func `D6: a right without an end counts as more than the same right with an end`() {
  var limited = AppRecord(app: ferry, status: .always)
  limited.timeLimit = TimeLimit(end: clock(60).boot, formerStatus: .denied)
  var longer = limited
  longer.timeLimit?.end = clock(61).boot
  #expect(AppRecord(app: ferry, status: .always).grantsMore(than: limited) && longer.grantsMore(than: limited))
  #expect(!limited.grantsMore(than: longer) && !AppRecord(app: ferry, status: .denied).grantsMore(than: limited))
}
