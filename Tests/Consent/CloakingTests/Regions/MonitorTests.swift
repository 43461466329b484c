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

@Test func `after a gap between fixes, the confirmation of a side starts again`() {
  for (gap, isCrossing) in [(60.0, true), (60.001, false), (100_000, false)] {
    var monitor = monitor(region())
    _ = monitor.update(stay(at: 300, from: 0, to: 20))
    _ = monitor.update(Sample(time: 21, distance: 0))
    #expect((monitor.update(Sample(time: 21 + gap, distance: 0)) == ["+home"]) == isCrossing)
    if !isCrossing { #expect(monitor.update(Sample(time: 21 + gap + 10, distance: 0)) == ["+home"]) }
  }
}

@Test func `time that goes back or stands still does not count as dwell, and two fixes at one instant do not end it`() {
  var monitor = monitor(region())
  _ = monitor.update(stay(at: 300, from: 1000, to: 1020))
  _ = monitor.update(Sample(time: 1021, distance: 0))
  for time in [10.0, 10, 10, 9, 8, -1e9] { #expect(monitor.update(Sample(time: time, distance: 0)) == []) }
  #expect(monitor.update(Sample(time: -1e9 + 9.9, distance: 0)) == [])
  #expect(monitor.update(Sample(time: -1e9 + 10, distance: 0)) == ["+home"])
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

@Test(arguments: [
  (90.0, 10.0, BorderEvidence.inside), (90.1, 10, .probablyInside), (100, 10, .probablyInside), (100.1, 10, .between),
  (120, 10, .between), (120.1, 10, .probablyOutside), (130, 10, .probablyOutside), (130.1, 10, .outside),
  (100, 100, .probablyInside), (100, 100.1, .inconclusive), (220.1, 100, .outside), (100, -1, .inconclusive),
  (100, .infinity, .inconclusive), (100, .nan, .inconclusive),
])
func `a distance on a border counts as inside it`(distance: Double, accuracy: Double, evidence: BorderEvidence) {
  // The entry distance is 100 m, and the exit distance is 120 m.
  #expect(BorderEvidence(distance: distance, accuracy: accuracy, of: Border(radius: 100, from: .inside)) == evidence)
}
