import Clocks
import Foundation
import GNSS
import LineProtocol
import SeededNumbers
import Testing

@testable import Regions

/// The rule told another way: it keeps all that it saw since the side last changed, and at each fix looks back.
private struct Oracle {
  var radius = 100.0
  var side: Side?
  var seen: [Sample] = []

  var exit: Double { side == nil ? radius : radius + max(radius * 0.1, 20) }

  func speaks(_ sample: Sample, for side: Side) -> Bool {
    switch side {
    case .inside: sample.distance + sample.accuracy <= radius
    case .outside: sample.distance - sample.accuracy > exit
    }
  }

  func speaks(_ sample: Sample, against side: Side) -> Bool {
    if speaks(sample, for: side == .inside ? .outside : .inside) { return true }
    if speaks(sample, for: side) || !(sample.accuracy <= radius) { return false }
    return side == .inside ? sample.distance > radius : sample.distance <= exit
  }

  /// The event, as in `+home`.
  mutating func take(_ sample: Sample) -> [String] {
    seen.append(sample)
    for news in Side.allCases where news != side && speaks(sample, for: news) {
      var first = sample
      for earlier in seen.reversed() {
        if speaks(earlier, against: news) { break }
        guard speaks(earlier, for: news) else { continue }
        if earlier.time > first.time || first.time - earlier.time > 60 { break }
        first = earlier
      }
      if sample.time - first.time >= 10 {
        defer {
          side = news
          seen = []
        }
        return side == nil ? [] : [news == .inside ? "+home" : "-home"]
      }
    }
    return []
  }
}

/// Inside, rather inside, between, rather outside, outside, and a fix that says nothing.
private let kinds = [(0.0, 5.0), (95, 10), (110, 5), (125, 10), (300, 5), (0, 500)]

@Test func `every short sequence of fixes gives what the rule says`() {
  var count = 0
  func go(_ monitor: RegionMonitor, _ oracle: Oracle, _ time: Double, _ depth: Int) {
    count += 1
    guard depth > 0 else { return }
    for (distance, accuracy) in kinds {
      for step in [5.0, 10, 61] {
        var (monitor, oracle) = (monitor, oracle)
        let sample = Sample(time: time + step, distance: distance, accuracy: accuracy)
        let (events, expected) = (monitor.take(sample), oracle.take(sample))
        let side = monitor.side(of: "home", of: "parks")
        if events != expected || side != oracle.side {
          Issue.record(
            "\(events), \(String(describing: side)); expected \(expected), \(String(describing: oracle.side))")
          return
        }
        go(monitor, oracle, time + step, depth - 1)
      }
    }
  }
  // From nothing, and from either side.
  for side in [nil, Side.inside, .outside] {
    var monitor = monitor(region())
    monitor.entries[0].side = side
    go(monitor, Oracle(side: side), 0, 4)
  }
  #expect(count > 300_000)
}

@Test func `every order of registrations, restarts, locks and stays gives what the rule says`() throws {
  enum Act: CaseIterable { case same, other, remove, forget, restart, pause, inside, outside, between }
  func go(_ monitor: RegionMonitor, _ oracle: Oracle?, _ time: Double, _ depth: Int) throws {
    guard depth > 0 else { return }
    for act in Act.allCases {
      var (monitor, oracle) = (monitor, oracle)
      switch act {
      case .same:
        // The region that is there, or a new one.
        _ = monitor.add(region(radius: oracle?.radius ?? 100), of: "parks")
        oracle = oracle ?? Oracle()
      case .other:
        let radius = oracle?.radius == 100 ? 107.0 : 100
        _ = monitor.add(region(radius: radius), of: "parks")
        oracle = Oracle(radius: radius)
      case .remove:
        monitor.remove("home", of: "parks")
        oracle = nil
      case .forget:
        monitor.forgetSides()
        oracle?.side = nil
        oracle?.seen = []
      case .restart:
        monitor = try #require(RegionMonitor(encoded: monitor.encoded()))
        oracle?.seen = []
      case .pause: break
      case .inside, .outside, .between:
        for step in [1.0, 11] {
          let distance = act == .inside ? 0.0 : act == .outside ? 300 : 110
          let sample = Sample(time: time + step, distance: distance)
          let (events, expected) = (monitor.take(sample), oracle?.take(sample) ?? [])
          #expect(events == expected)
        }
      }
      let side = monitor.side(of: "home", of: "parks")
      try #require(side == oracle?.side)
      try go(monitor, oracle, time + (act == .pause ? 100 : 12), depth - 1)
    }
  }
  try go(monitor(region()), Oracle(), 0, 5)
}

/// A walk about the middle, in metres, with turns and stands.
private func walk(_ random: inout SplitMix64, seconds: Int) -> [(east: Double, north: Double)] {
  var (east, north) = (Double.random(in: -300...300, using: &random), Double.random(in: -300...300, using: &random))
  var (speed, heading) = (1.4, 0.0)
  return (0..<seconds).map { _ in
    if Int.random(in: 0..<20, using: &random) == 0 {
      heading = Double.random(in: 0..<(2 * .pi), using: &random)
      // Home is a place to come back to.
      if Bool.random(using: &random) { heading = atan2(-north, -east) }
      speed = [0, 0.5, 1.4, 8].randomElement(using: &random)!
    }
    (east, north) = (east + speed * cos(heading), north + speed * sin(heading))
    return (east, north)
  }
}

@Test func `with errors as large as is said there is never an event without a crossing`() {
  var random = SplitMix64(seed: 2)
  var events = 0
  for _ in 0..<60 {
    let accuracy = [1.0, 5, 30, 60].randomElement(using: &random)!
    var monitor = monitor(region())
    // The crossings of the true track, noticed at once.
    var (truth, truthSide, crossings) = (Oracle(), Side?.none, 0)
    for (second, at) in walk(&random, seconds: 3000).enumerated() {
      let metre = 180 / Double.pi / 6_378_137
      let true_ = GroundPlace(place(at.north * metre, at.east * metre)).distance(to: GroundPlace(place(0, 0)))
      if true_ <= 100, truthSide != .inside {
        crossings += truthSide == nil ? 0 : 1
        truthSide = .inside
      } else if true_ > 120 || truthSide == nil, truthSide != .outside {
        crossings += truthSide == nil ? 0 : 1
        truthSide = .outside
      }
      truth.side = truthSide
      let (angle, error) = (
        Double.random(in: 0..<(2 * .pi), using: &random), Double.random(in: 0...accuracy * 0.99, using: &random)
      )
      let fix = place((at.north + error * sin(angle)) * metre, (at.east + error * cos(angle)) * metre)
      for crossing in monitor.take(fix, accuracy: accuracy, at: instant(Double(second))).crossings {
        events += 1
        // On the side that it says, at that moment.
        #expect(crossing.isEntry ? true_ <= 100 : true_ > 120)
        crossings -= 1
        #expect(crossings >= 0, "an event for which there was no crossing")
      }
      crossings = max(0, crossings)
    }
  }
  #expect(events > 60)
}

@Test func `standing on the border for an hour, in the errors of a real receiver, gives at most one event`() {
  var random = SplitMix64(seed: 3)
  func normal() -> Double {
    (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
      * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
  for distance in stride(from: 80.0, through: 140, by: 5) {
    for start in [0.0, 400] {
      var monitor = monitor(region())
      _ = monitor.take(stay(at: start, from: -100, to: -80))
      // Errors that are alike for a minute (Gauss–Markov), 68 % of them within 10 m.
      let (deviation, memory) = (10 / 1.51, exp(-1.0 / 60))
      var error = (east: deviation * normal(), north: deviation * normal())
      var events: [String] = []
      for second in 0..<3600 {
        let fresh = deviation * (1 - memory * memory).squareRoot()
        error = (memory * error.east + fresh * normal(), memory * error.north + fresh * normal())
        let away = ((distance + error.east) * (distance + error.east) + error.north * error.north).squareRoot()
        events += monitor.take(Sample(time: Double(second), distance: away, accuracy: 10))
      }
      #expect(events.count <= 1, "at \(distance) m from \(start)")
    }
  }
}

@Test func `nothing makes it trap`() {
  var random = SplitMix64(seed: 4)
  let odd = [
    0.0, -0.0, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -1, 1e-300, 1e300,
  ]
  let times: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
  var monitor = monitor(region(), region("pole", centre: place(90, 0)), region("big", radius: 100_000))
  for _ in 0..<20_000 {
    let latitude = [90, -90, 0, .leastNonzeroMagnitude, Double.random(in: -90...90, using: &random)].randomElement(
      using: &random)!
    let longitude = [180, -180, 0, Double.random(in: -180...180, using: &random)].randomElement(using: &random)!
    _ = monitor.take(
      place(latitude, longitude), accuracy: odd.randomElement(using: &random)!,
      at: MonotonicInstant(nanoseconds: times.randomElement(using: &random)!))
  }
  #expect(monitor.regions(of: "parks").count == 3)
}
