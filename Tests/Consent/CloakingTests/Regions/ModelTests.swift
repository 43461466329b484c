import Base
import Foundation
import GNSS
import LineProtocol
import SeededNumbers
import Testing

@testable import Cloaking

/// A different implementation of the rule: it keeps all fixes since the last change of side, and searches them at each
/// fix.
private struct Oracle {
  var radius = 100.0
  var side: Side?
  var samples: [Sample] = []

  var exit: Double { side == nil ? radius : radius + max(radius * 0.1, 20) }

  func confirms(_ sample: Sample, _ side: Side) -> Bool {
    switch side {
    case .inside: sample.distance + sample.accuracy <= radius
    case .outside: sample.distance - sample.accuracy > exit
    }
  }

  func contradicts(_ sample: Sample, _ side: Side) -> Bool {
    if confirms(sample, side == .inside ? .outside : .inside) { return true }
    if confirms(sample, side) || !(sample.accuracy <= radius) { return false }
    return side == .inside ? sample.distance > radius : sample.distance <= exit
  }

  /// Adds a fix and returns its crossings, for example `+home`.
  mutating func update(_ sample: Sample) -> [String] {
    samples.append(sample)
    for newSide in Side.allCases where newSide != side && confirms(sample, newSide) {
      var first = sample
      for earlier in samples.reversed() {
        if contradicts(earlier, newSide) { break }
        guard confirms(earlier, newSide) else { continue }
        if earlier.time > first.time || first.time - earlier.time > 60 { break }
        first = earlier
      }
      if sample.time - first.time >= 10 {
        defer {
          side = newSide
          samples = []
        }
        return side == nil ? [] : [newSide == .inside ? "+home" : "-home"]
      }
    }
    return []
  }
}

/// Distance and accuracy of six fixes: inside, probably inside, between, probably outside, outside, and inconclusive.
private let kinds = [(0.0, 5.0), (95, 10), (110, 5), (125, 10), (300, 5), (0, 500)]

@Test func `every short sequence of fixes gives the crossings of the oracle`() {
  var count = 0
  func go(_ monitor: RegionMonitor, _ oracle: Oracle, _ time: Double, _ depth: Int) {
    count += 1
    guard depth > 0 else { return }
    for (distance, accuracy) in kinds {
      for step in [5.0, 10, 61] {
        var (monitor, oracle) = (monitor, oracle)
        let sample = Sample(time: time + step, distance: distance, accuracy: accuracy)
        let (events, expected) = (monitor.update(sample), oracle.update(sample))
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
  // The sequences begin with an unknown side and with each side.
  for side in [nil, Side.inside, .outside] {
    var monitor = monitor(region())
    monitor.entries[0].side = side
    go(monitor, Oracle(side: side), 0, 4)
  }
  #expect(count > 300_000)
}

@Test func `every order of registrations, restarts, locks and stays gives the crossings of the oracle`() throws {
  enum Act: CaseIterable { case same, other, remove, forget, restart, pause, inside, outside, between }
  func go(_ monitor: RegionMonitor, _ oracle: Oracle?, _ time: Double, _ depth: Int) throws {
    guard depth > 0 else { return }
    for act in Act.allCases {
      var (monitor, oracle) = (monitor, oracle)
      switch act {
      case .same:
        // The registration is either the present region or another one.
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
        oracle?.samples = []
      case .restart:
        monitor = try #require(RegionMonitor(saved: monitor.saved))
        oracle?.samples = []
      case .pause: break
      case .inside, .outside, .between:
        for step in [1.0, 11] {
          let distance = act == .inside ? 0.0 : act == .outside ? 300 : 110
          let sample = Sample(time: time + step, distance: distance)
          let (events, expected) = (monitor.update(sample), oracle?.update(sample) ?? [])
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

/// Returns a random walk around the origin, in metres, with turns and stops.
private func walk(_ random: inout SplitMix64, seconds: Int) -> [(east: Double, north: Double)] {
  var (east, north) = (Double.random(in: -300...300, using: &random), Double.random(in: -300...300, using: &random))
  var (speed, heading) = (1.4, 0.0)
  return (0..<seconds).map { _ in
    if Int.random(in: 0..<20, using: &random) == 0 {
      heading = Double.random(in: 0..<(2 * .pi), using: &random)
      // The walk returns to the origin from time to time.
      if Bool.random(using: &random) { heading = atan2(-north, -east) }
      speed = [0, 0.5, 1.4, 8].randomElement(using: &random)!
    }
    (east, north) = (east + speed * cos(heading), north + speed * sin(heading))
    return (east, north)
  }
}

@Test func `if errors are within the stated accuracy, no crossing is reported without a true crossing`() {
  var random = SplitMix64(seed: 2)
  var events = 0
  for _ in 0..<60 {
    let accuracy = [1.0, 5, 30, 60].randomElement(using: &random)!
    var monitor = monitor(region())
    // The true crossings, without a delay.
    var (truth, truthSide, crossings) = (Oracle(), Side?.none, 0)
    for (second, at) in walk(&random, seconds: 3000).enumerated() {
      let metre = 180 / Double.pi / 6_378_137
      let true_ = GroundPosition(coordinate(at.north * metre, at.east * metre)).distance(
        to: GroundPosition(coordinate(0, 0)))
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
      let fix = coordinate((at.north + error * sin(angle)) * metre, (at.east + error * cos(angle)) * metre)
      for crossing in monitor.update(fix, accuracy: accuracy, at: instant(Double(second))) {
        events += 1
        // The device is on the reported side at that moment.
        #expect(crossing.isEntry ? true_ <= 100 : true_ > 120)
        crossings -= 1
        #expect(crossings >= 0, "an event without a true crossing")
      }
      crossings = max(0, crossings)
    }
  }
  #expect(events > 60)
}

@Test func `an hour on the border with realistic errors gives at most one crossing`() {
  var random = SplitMix64(seed: 3)
  func normal() -> Double {
    (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
      * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
  for distance in stride(from: 80.0, through: 140, by: 5) {
    for start in [0.0, 400] {
      var monitor = monitor(region())
      _ = monitor.update(stay(at: start, from: -100, to: -80))
      // The errors are correlated over a minute (Gauss–Markov), and 68 % of them are within 10 m.
      let (deviation, memory) = (10 / 1.51, exp(-1.0 / 60))
      var error = (east: deviation * normal(), north: deviation * normal())
      var events: [String] = []
      for second in 0..<3600 {
        let fresh = deviation * (1 - memory * memory).squareRoot()
        error = (memory * error.east + fresh * normal(), memory * error.north + fresh * normal())
        let away = ((distance + error.east) * (distance + error.east) + error.north * error.north).squareRoot()
        events += monitor.update(Sample(time: Double(second), distance: away, accuracy: 10))
      }
      #expect(events.count <= 1, "at \(distance) m from \(start)")
    }
  }
}

@Test func `extreme numbers never trap`() {
  var random = SplitMix64(seed: 4)
  let odd = [
    0.0, -0.0, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -1, 1e-300, 1e300,
  ]
  let times: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
  var monitor = monitor(region(), region("pole", centre: coordinate(90, 0)), region("big", radius: 100_000))
  for _ in 0..<20_000 {
    let latitude = [90, -90, 0, .leastNonzeroMagnitude, Double.random(in: -90...90, using: &random)].randomElement(
      using: &random)!
    let longitude = [180, -180, 0, Double.random(in: -180...180, using: &random)].randomElement(using: &random)!
    _ = monitor.update(
      coordinate(latitude, longitude), accuracy: odd.randomElement(using: &random)!,
      at: MonotonicInstant(nanoseconds: times.randomElement(using: &random)!))
  }
  #expect(monitor.regions(of: "parks").count == 3)
}
