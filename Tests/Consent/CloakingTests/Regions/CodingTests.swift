import Base
import GNSS
import LineProtocol
import SeededNumbers
import Testing

@testable import Cloaking

extension RegionMonitor {
  /// All regions, as the store has them.
  var saved: [(number: Int64, bytes: [UInt8])] { entries.map { ($0.number, $0.encoded()) } }

  /// All regions as one value, as in earlier formats of the store.
  fileprivate var formerValue: [UInt8] {
    [2, UInt8(entries.count >> 8), UInt8(entries.count & 255)] + entries.flatMap { $0.encoded().dropFirst() }
  }
}

/// Two apps, three regions, and every side.
private func example() -> RegionMonitor {
  var monitor = monitor(
    region("home", text: "Milk?"),
    region("work", radius: 99_999.5, events: .exit, centre: coordinate(-89.5, 179.25), text: ""))
  _ = monitor.add(
    region("a.b-c_D", events: .enter, text: "到家了 é"), of: "ferry",
    at: UTCTime(nanosecondsSince1970: 1_795_246_294_000_000_000))
  monitor.entries[0].side = .inside
  monitor.entries[1].side = .outside
  return monitor
}

@Test func `decoding gives the encoded regions and sides, and only regions of an earlier format are to be saved`()
  throws
{
  for monitor in [RegionMonitor(), example()] {
    let read = try #require(RegionMonitor(saved: monitor.saved))
    #expect(read.entries == monitor.entries && read.isSaved && read.unsavedRegions.isEmpty)
    let former = try #require(RegionMonitor(encoded: monitor.formerValue))
    #expect(former.entries == monitor.entries)
  }
  let former = try #require(RegionMonitor(encoded: example().formerValue))
  #expect(!former.isSaved && former.unsavedRegions.keys.sorted() == [1, 2, 3])
}

@Test func `a region has the documented bytes`() throws {
  let known = RegionMonitor.Entry(
    number: 7, app: "parks", region: region("home", events: .exit, centre: coordinate(0.5, -0.25), text: "é"),
    registered: UTCTime(nanosecondsSince1970: 1_795_246_294_999_999_999), side: .outside)
  let position: [UInt8] = [0x3F, 0xE0, 0, 0, 0, 0, 0, 0, 0xBF, 0xD0, 0, 0, 0, 0, 0, 0, 0x40, 0x59, 0, 0, 0, 0, 0, 0]
  let names = [5] + Array("parks".utf8) + [4] + Array("home".utf8)
  let knownBytes = [2] + names + position + [2, 0, 2, 0xC3, 0xA9, 2, 0, 0, 0, 0, 0x6B, 0x01, 0x48, 0xD6]
  #expect(known.encoded() == knownBytes)
  let unknown = RegionMonitor.Entry(
    number: 8, app: "parks", region: region("home", centre: coordinate(0.5, -0.25), text: ""))
  #expect(unknown.encoded() == [2] + names + position + [3, 0, 0, 0] + [UInt8](repeating: 0, count: 8))
  let saved: [(number: Int64, bytes: [UInt8])] = [(7, knownBytes)]
  var monitor = try #require(RegionMonitor(saved: saved))
  #expect(monitor.entries.map(\.number) == [7] && monitor.side(of: "home", of: "parks") == .outside)
  let seconds = UTCTime(nanosecondsSince1970: 1_795_246_294_000_000_000)
  #expect(monitor.registered("home", of: "parks") == seconds)
  // The number of a new region is higher than the numbers of all regions.
  #expect(monitor.add(region("work"), of: "parks") == true)
  #expect(monitor.entries.map(\.number) == [7, 8])
}

@Test(arguments: [0, 1, 9_223_372_036, 9_223_372_037, -1] as [Int64])
func `a time of registration with 64-bit nanoseconds is read, and no other`(seconds: Int64) {
  var bytes = Array(RegionMonitor.Entry(number: 1, app: "parks", region: region()).encoded().dropLast(8))
  bytes.appendBigEndian(seconds)
  let read = RegionMonitor(saved: [(1, bytes)])
  let isValid = (0...9_223_372_036).contains(seconds)
  #expect((read != nil) == isValid)
  // The value 0 is an unknown time.
  let nanoseconds = isValid && seconds > 0 ? seconds * 1_000_000_000 : nil
  #expect(read?.registered("home", of: "parks")?.nanosecondsSince1970 == nanoseconds)
}

@Test(arguments: [(0, false), (1, true), (64, true), (65, false)])
func `the name of an app has 1 to 64 bytes`(count: Int, isValid: Bool) {
  let app = String(repeating: "a", count: count)
  let bytes = RegionMonitor.Entry(number: 1, app: app, region: region()).encoded()
  #expect((RegionMonitor(saved: [(1, bytes)]) != nil) == isValid)
}

@Test func `a new side is saved, so that a restart neither repeats nor loses a crossing`() throws {
  var monitor = monitor(region(), region("far", centre: coordinate(1, 1)))
  monitor.noteSaved()
  _ = monitor.update(stay(at: 300, from: 0, to: 9))
  #expect(monitor.isSaved)
  _ = monitor.update(Sample(time: 10, distance: 300))
  #expect(!monitor.isSaved && monitor.unsavedRegions.keys.sorted() == [1, 2])
  monitor.noteSaved()
  _ = monitor.update(stay(at: 0, from: 11, to: 21))
  #expect(!monitor.isSaved && monitor.unsavedRegions == [1: monitor.entries[0].encoded()])
  var restarted = try #require(RegionMonitor(saved: monitor.saved))
  #expect(restarted.update(stay(at: 0, from: 0, to: 20)) == [])
  #expect(restarted.update(stay(at: 300, from: 21, to: 40)) == ["-home"])
}

/// The time of a save could tell an app that its border was crossed.
@Test func `a new side that only owners are told waits for a save of all regions`() {
  var monitor = monitor(region())
  monitor.noteSaved()
  for sample in stay(at: 300, from: 0, to: 20) + stay(at: 0, from: 21, to: 40) {
    _ = monitor.update(
      east(sample.distance), accuracy: 5, at: instant(sample.time), isTold: { $0 != "parks" })
    #expect(monitor.isSaved)
  }
  #expect(monitor.entries[0].side == .inside && monitor.allRegions == [1: monitor.entries[0].encoded()])
}

@Test func `only changed regions are saved, or all of them`() throws {
  var monitor = example()
  #expect(monitor.unsavedRegions.mapValues { $0 != nil } == [1: true, 2: true, 3: true])
  monitor.noteSaved()
  #expect(monitor.isSaved && monitor.unsavedRegions.isEmpty && monitor.allRegions.count == 3)
  monitor.remove("work", of: "parks")
  _ = monitor.add(region("home", radius: 300), of: "parks")
  #expect(!monitor.isSaved && monitor.unsavedRegions.mapValues { $0 != nil } == [1: true, 2: false])
  #expect(monitor.allRegions.mapValues { $0 != nil } == [1: true, 2: false, 3: true])
  monitor.noteSaved()
  // The number of a region that exists is not used again.
  _ = monitor.add(region("new"), of: "parks")
  #expect(monitor.unsavedRegions.mapValues { $0 != nil } == [4: true])
  monitor.noteSaved()
  monitor.entries[0].side = .inside
  monitor.forgetSides()
  #expect(monitor.unsavedRegions == monitor.allRegions && monitor.unsavedRegions.count == monitor.entries.count)
  monitor.noteSaved()
  monitor.removeAll(of: "parks")
  #expect(monitor.unsavedRegions.mapValues { $0 != nil } == [1: false, 4: false])
}

@Test func `an unconfirmed side is not encoded`() throws {
  var monitor = monitor(region())
  _ = monitor.update(stay(at: 300, from: 0, to: 20))
  _ = monitor.update(stay(at: 0, from: 21, to: 30))
  var read = try #require(RegionMonitor(saved: monitor.saved))
  #expect(read.update(stay(at: 0, from: 31, to: 40)) == [])
  #expect(read.update(Sample(time: 41, distance: 0)) == ["+home"])
}

@Test func `every truncation gives nil, and every changed byte gives nil or a monitor with these bytes`() {
  let bytes = example().formerValue
  for length in 0..<bytes.count { #expect(RegionMonitor(encoded: Array(bytes[..<length])) == nil) }
  #expect(RegionMonitor(encoded: bytes + [0]) == nil)
  let others: [[UInt8]] = [
    [0], [3, 0, 0], [2, 0], [2, 0, 1], [2, 0, 0, 0], [2, 255, 255], [1, 0], [1, 0, 1], [1, 0, 0, 0],
  ]
  for bytes in others { #expect(RegionMonitor(encoded: bytes) == nil, "\(bytes)") }
  for changed in flips(of: bytes) {
    if let read = RegionMonitor(encoded: changed) { #expect(read.formerValue == changed) }
  }
  for (number, bytes) in example().saved {
    for length in 0..<bytes.count { #expect(RegionMonitor(saved: [(number, Array(bytes[..<length]))]) == nil) }
    #expect(RegionMonitor(saved: [(number, bytes + [0])]) == nil)
    for changed in flips(of: bytes) {
      if let read = RegionMonitor(saved: [(number, changed)]) { #expect(read.saved.map(\.bytes) == [changed]) }
    }
  }
}

@Test func `random bytes do not trap`() {
  var random = SplitMix64(seed: 6)
  for _ in 0..<20_000 {
    let count = Int.random(in: 0...60, using: &random)
    var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    if bytes.count > 3, Bool.random(using: &random) { bytes.replaceSubrange(0..<3, with: [2, 0, 1]) }
    if let read = RegionMonitor(encoded: bytes) { #expect(read.formerValue == bytes) }
    _ = RegionMonitor(saved: [(1, bytes)])
  }
}

@Test func `regions of version 1 are read with an unknown time of registration`() throws {
  var monitor = monitor(region())
  monitor.entries[0].side = .inside
  // In version 1 an entry ends with the side.
  let bytes = [1] + monitor.formerValue.dropFirst().dropLast(8)
  let read = try #require(RegionMonitor(encoded: bytes))
  #expect(read.entries == monitor.entries && read.registered("home", of: "parks") == nil)
}

@Test func `an identical registration keeps its time, and a different one gets a new time`() {
  let (first, later) = (UTCTime(nanosecondsSince1970: 1), UTCTime(nanosecondsSince1970: 2))
  var monitor = RegionMonitor()
  _ = monitor.add(region(), of: "parks", at: first)
  _ = monitor.add(region(), of: "parks", at: later)
  #expect(monitor.registered("home", of: "parks") == first)
  let others = [
    region(radius: 200), region(text: "Bread?"), region(events: .enter), region(centre: coordinate(0.01, 0)),
  ]
  for other in others {
    var changed = monitor
    _ = changed.add(other, of: "parks", at: later)
    #expect(changed.registered("home", of: "parks") == later && changed.regions(of: "parks") == [other])
  }
}

@Test func `two regions with one id, or too many regions of one app, give nil`() {
  var monitor = monitor(region("a"))
  monitor.entries.append(monitor.entries[0])
  #expect(RegionMonitor(encoded: monitor.formerValue) == nil && RegionMonitor(saved: monitor.saved) == nil)
  monitor.entries = (0...20).map { RegionMonitor.Entry(number: $0, app: "parks", region: region("r\($0)")) }
  #expect(RegionMonitor(encoded: monitor.formerValue) == nil && RegionMonitor(saved: monitor.saved) == nil)
  monitor.entries.removeLast()
  #expect(RegionMonitor(encoded: monitor.formerValue) != nil && RegionMonitor(saved: monitor.saved) != nil)
}

@Test func `all apps together have at most 65,535 regions, also after a restart`() throws {
  let regions = (0..<20).map { region("r\($0)") }
  var entries = (0..<65_535).map {
    RegionMonitor.Entry(number: Int64($0) + 1, app: "app\($0 / 20)", region: regions[$0 % 20])
  }
  var monitor = try #require(RegionMonitor(entries, isSaved: true))
  #expect(monitor.add(region(), of: "parks") == false)
  #expect(monitor.add(region("r0", radius: 500), of: "app0") == true, "the region exists already")
  monitor.remove("r0", of: "app0")
  #expect(monitor.add(region(), of: "parks") == true)
  entries.append(RegionMonitor.Entry(number: 65_536, app: "parks", region: region()))
  #expect(RegionMonitor(entries, isSaved: true) == nil)
}
