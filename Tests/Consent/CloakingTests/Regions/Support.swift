import Base
import GNSS
import LineProtocol

@testable import Cloaking

func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
  Coordinate(latitude: latitude, longitude: longitude)!
}

/// Returns the position at a distance in metres east of 0° N 0° E. On the equator this is an arc of the semi-major
/// axis.
func east(_ metres: Double) -> Coordinate { coordinate(0, metres / 6_378_137 * 180 / .pi) }

func instant(_ seconds: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(seconds * 1e9)) }

/// Returns the bytes with each bit changed in turn.
func flips(of bytes: [UInt8]) -> [[UInt8]] {
  (0..<bytes.count * 8).map { bit in
    var changed = bytes
    changed[bit / 8] ^= 1 << (bit % 8)
    return changed
  }
}

func region(
  _ id: String = "home", radius: Double = 100, events: Region.Events = [.enter, .exit], centre: Coordinate? = nil,
  text: String = "Milk?"
) -> Region {
  try! Region(id: id, centre: centre ?? coordinate(0, 0), radius: radius, events: events, text: text)
}

func monitor(_ regions: Region..., app: String = "parks") -> RegionMonitor {
  var monitor = RegionMonitor()
  for region in regions { _ = monitor.add(region, of: app) }
  return monitor
}

/// A fix of a test.
struct Sample: Hashable {
  /// The time in seconds.
  var time: Double
  /// The distance from the region's centre in metres.
  var distance: Double
  var accuracy = 5.0
}

extension RegionMonitor {
  /// Updates the monitor with a fix at a distance from 0° N 0° E, and returns its crossings, for example `+home`.
  mutating func update(_ sample: Sample) -> [String] {
    update(east(sample.distance), accuracy: sample.accuracy, at: instant(sample.time)).map {
      ($0.isEntry ? "+" : "-") + $0.region.id
    }
  }

  mutating func update(_ samples: [Sample]) -> [String] { samples.flatMap { update($0) } }
}

/// Returns a fix for every second of a stay, including its end.
func stay(at distance: Double, from start: Double, to end: Double, accuracy: Double = 5) -> [Sample] {
  stride(from: start, through: end, by: 1).map { Sample(time: $0, distance: distance, accuracy: accuracy) }
}

func named(_ name: String, radius: Double = 300, at metres: Double = 0) -> NamedPlace {
  try! NamedPlace(name: name, centre: east(metres), radius: radius)
}

/// Places that the app `parks` may know.
func places(_ all: NamedPlace...) -> PlaceMonitor {
  var monitor = PlaceMonitor()
  for place in all { _ = monitor.add(place) }
  if !all.isEmpty { monitor.allow(all.map(\.name), to: "parks") }
  return monitor
}

extension PlaceMonitor {
  mutating func stay(at metres: Double, from start: Double, to end: Double, accuracy: Double = 5) {
    for sample in CloakingTests.stay(at: metres, from: start, to: end, accuracy: accuracy) {
      update(east(sample.distance), accuracy: sample.accuracy, at: instant(sample.time))
    }
  }

  mutating func ask(byPress: Bool = true, at time: Double) -> String? {
    answer(to: "parks", isByPress: byPress, at: instant(time))
  }
}
