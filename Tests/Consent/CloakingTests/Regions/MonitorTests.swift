import Base
import GNSS
import LineProtocol
import Testing

@testable import Cloaking

/// The contract: a device enters inside the radius, and exits beyond radius + max(10 %, 20 m).
@Test(arguments: [(100.0, 120.0), (150, 170), (200, 220), (1000, 1100), (100_000, 110_000)])
func `the exit is farther out than the entry by 10 percent of the radius or 20 m`(radius: Double, exit: Double) {
  func events(from start: Double, to end: Double) -> [String] {
    var monitor = monitor(region(radius: radius))
    return monitor.update(stay(at: start, from: 0, to: 20, accuracy: 0) + stay(at: end, from: 21, to: 40, accuracy: 0))
  }
  #expect(events(from: radius * 2, to: radius - 0.5) == ["+home"])
  #expect(events(from: radius * 2, to: radius + 0.5) == [])
  #expect(events(from: 0, to: exit - 0.5) == [])
  #expect(events(from: 0, to: exit + 0.5) == ["-home"])
}

@Test func `an app receives only the crossings that it subscribed to, and the other side is tracked as well`() {
  let track = stay(at: 300, from: 0, to: 20) + stay(at: 0, from: 21, to: 40) + stay(at: 300, from: 41, to: 60)
  for (events, told) in [(Region.Events.enter, ["+home"]), (.exit, ["-home"]), ([.enter, .exit], ["+home", "-home"])] {
    var monitor = monitor(region(events: events))
    #expect(monitor.update(track + track.map { Sample(time: $0.time + 61, distance: $0.distance) }) == told + told)
  }
}

@Test func `a fix with an accuracy of 30 m is sufficient for a region of 100 m`() {
  var monitor = monitor(region())
  let there = stride(from: -400.0, through: 400, by: 1.4).enumerated().map {
    Sample(time: Double($0.offset), distance: abs($0.element), accuracy: 30)
  }
  #expect(monitor.update(there) == ["+home", "-home"])
}

@Test(arguments: [101.0, 500, .infinity, .nan, -1])
func `a fix that is too uncertain has no effect`(accuracy: Double) {
  var monitor = monitor(region())
  _ = monitor.update(stay(at: 0, from: 0, to: 20))
  #expect(monitor.update(stay(at: 150, from: 21, to: 400, accuracy: accuracy)) == [])
  #expect(monitor.side(of: "home", of: "parks") == .inside)
  // The dwell continues across such fixes.
  let mixed = (0...10).map { Sample(time: 401 + Double($0), distance: 0, accuracy: accuracy) }
  monitor.forgetSides()
  _ = monitor.update(Sample(time: 400, distance: 0))
  #expect(monitor.update(mixed) == [])
  #expect(monitor.side(of: "home", of: "parks") == nil)
  _ = monitor.update(Sample(time: 412, distance: 0))
  #expect(monitor.side(of: "home", of: "parks") == .inside)
}

@Test func `after a gap between fixes, the confirmation of a side starts again`() {
  for (gap, isCrossing) in [(60.0, true), (60.001, false), (100_000, false)] {
    var monitor = monitor(region())
    _ = monitor.update(stay(at: 300, from: 0, to: 20))
    _ = monitor.update(Sample(time: 21, distance: 0))
    #expect((monitor.update(Sample(time: 21 + gap, distance: 0)) == ["+home"]) == isCrossing)
    if !isCrossing { #expect(monitor.update(Sample(time: 21 + gap + 10, distance: 0)) == ["+home"]) }
  }
}

@Test func `time that goes back or stands still does not count as dwell`() {
  var monitor = monitor(region())
  _ = monitor.update(stay(at: 300, from: 1000, to: 1020))
  _ = monitor.update(Sample(time: 1021, distance: 0))
  for time in [10.0, 10, 10, 9, 8, -1e9] { #expect(monitor.update(Sample(time: time, distance: 0)) == []) }
  #expect(monitor.update(Sample(time: -1e9 + 9.9, distance: 0)) == [])
  #expect(monitor.update(Sample(time: -1e9 + 10, distance: 0)) == ["+home"])
}

@Test func `two fixes at one instant do not start the confirmation again`() {
  var monitor = monitor(region())
  _ = monitor.update(stay(at: 300, from: 0, to: 20))
  for time in [21.0, 26, 26] { #expect(monitor.update(Sample(time: time, distance: 0)) == []) }
  #expect(monitor.update(Sample(time: 31, distance: 0)) == ["+home"])
}

@Test func `an unmonitored region keeps its side, and a change in the meantime is reported once`() {
  var monitor = monitor(region())
  _ = monitor.update(stay(at: 300, from: 0, to: 20))
  for second in 21...60 {
    #expect(monitor.update(east(0), accuracy: 5, at: instant(Double(second)), isWatched: { $0 != "parks" }) == [])
  }
  #expect(monitor.update(stay(at: 0, from: 61, to: 100)) == ["+home"])
}

@Test func `an app has at most 20 regions, each id once, and other apps have theirs`() {
  var monitor = RegionMonitor()
  func add(_ region: Region, of app: String) -> Bool { monitor.add(region, of: app) }
  for number in 1...20 { #expect(add(region("r\(number)"), of: "parks")) }
  let full = monitor
  #expect(!add(region("r21"), of: "parks"))
  #expect(monitor == full)
  #expect(add(region("r20", radius: 500), of: "parks"))
  #expect(monitor.regions(of: "parks").count == 20)
  #expect(add(region("r1"), of: "ferry"))
  monitor.remove("r1", of: "parks")
  #expect(monitor.regions(of: "ferry").map(\.id) == ["r1"])
  #expect(add(region("r21"), of: "parks"))
  monitor.removeAll(of: "parks")
  #expect(monitor.apps == ["ferry"])
}

@Test(arguments: [(90.0, 0.0), (-90, 77), (0, 180), (0, -180), (71.3, 179.999_9), (-16.5, -179.999_9)])
func `regions at the poles and the antimeridian work`(latitude: Double, longitude: Double) {
  let centre = coordinate(latitude, longitude)
  var monitor = monitor(region(centre: centre))
  func fix(_ time: Double, _ latitude: Double, _ longitude: Double) -> [Bool] {
    monitor.update(coordinate(latitude, longitude), accuracy: 5, at: instant(time)).map(\.isEntry)
  }
  // One position is 40 m away, on the other side of the antimeridian; the other is 3 km away.
  let near = latitude > 0 ? latitude - 0.0003 : latitude + 0.0003
  let far = latitude > 0 ? latitude - 0.03 : latitude + 0.03
  let across = abs(latitude) == 90 ? -120 : -longitude
  var events: [Bool] = []
  for second in 0...20 { events += fix(Double(second), far, longitude) }
  for second in 21...40 { events += fix(Double(second), near, across) }
  for second in 41...60 { events += fix(Double(second), far, across) }
  #expect(events == [true, false])
}

@Test(arguments: [
  (90.0, 10.0, BorderEvidence.inside), (90.1, 10, .probablyInside), (100, 10, .probablyInside), (100.1, 10, .between),
  (120, 10, .between), (120.1, 10, .probablyOutside), (130, 10, .probablyOutside), (130.1, 10, .outside),
  (100, 100, .probablyInside), (100, 100.1, .inconclusive), (220.1, 100, .outside), (100, -1, .inconclusive),
])
func `a distance on a border counts as inside it`(distance: Double, accuracy: Double, evidence: BorderEvidence) {
  // The entry distance is 100 m, and the exit distance is 120 m.
  #expect(BorderEvidence(distance: distance, accuracy: accuracy, of: Border(radius: 100, from: .inside)) == evidence)
}
