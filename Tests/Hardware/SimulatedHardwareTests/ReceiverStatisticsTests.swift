import Testing

@testable import SimulatedHardware

private struct NormalisedError {
  /// The errors in units of the reported standard deviation.
  var east: Double
  var north: Double
  var up: Double
  var isOutlier: Bool
}

/// Returns the errors of seeded walks of ten minutes each, after the first minute.
private let walks: [[NormalisedError]] = (1...14 as ClosedRange<UInt64>).map { seed in
  var simulation = ReceiverSimulation(settings: .init(seed: seed), start: startOfTests)
  return (0..<660).map { _ in simulation.next() }.dropFirst(60).compactMap { burst in
    guard let epoch = ReportedEpoch(burst), let error = epoch.error(from: burst.truth),
      let east = epoch.longitudeError, let north = epoch.latitudeError,
      let altitude = epoch.altitude, let up = epoch.altitudeError
    else { return nil }
    return NormalisedError(
      east: error.east / east, north: error.north / north, up: (altitude - burst.truth.altitude) / up,
      isOutlier: burst.truth.isOutlier)
  }
}

private func mean(_ values: [Double]) -> Double {
  values.reduce(0, +) / Double(values.count)
}

@Test func `errors match the reported estimates, and are correlated like those of a receiver`() {
  let walks = walks.map { $0.filter { !$0.isOutlier } }
  let all = walks.flatMap { $0 }
  #expect(walks.allSatisfy { $0.count > 590 })

  // The mean of the squares is 1 if the reported sigma is correct. Errors that last for minutes leave few independent
  // samples, hence the tolerance.
  for axis in [all.map(\.east), all.map(\.north), all.map(\.up)] {
    #expect(abs(mean(axis.map { $0 * $0 }) - 1) < 0.25)
    #expect(abs(mean(axis)) < 0.25)
  }
  let inside = all.count { $0.east * $0.east + $0.north * $0.north < 2.279 }
  #expect((0.6...0.76).contains(Double(inside) / Double(all.count)))

  func autocorrelation(after lag: Int) -> Double {
    var (products, squares) = (0.0, 0.0)
    for walk in walks {
      for index in walk.indices.dropLast(lag) {
        products += walk[index].east * walk[index + lag].east + walk[index].north * walk[index + lag].north
        squares += walk[index].east * walk[index].east + walk[index].north * walk[index].north
      }
    }
    return products / squares
  }
  #expect((0.85...0.95).contains(autocorrelation(after: 1)))
  #expect((0.45...0.75).contains(autocorrelation(after: 10)))
  #expect(autocorrelation(after: 60) < 0.45)
}

@Test func `an outlier occurs about every ten minutes and is not reported`() {
  let outliers = walks.flatMap { $0.filter(\.isOutlier) }
  #expect((5...28).contains(outliers.count))
  // At least 10 m, with a standard deviation of 1 to 3 m.
  #expect(outliers.count { max(abs($0.east), abs($0.north)) > 3 } * 10 > outliers.count * 7)
}

@Test func `the pedestrian walks, turns, stops and stays in the town`() {
  for seed in 1...8 as ClosedRange<UInt64> {
    var walk = TownWalk(seed: seed)
    var (standing, farthest, distance) = (0, 0.0, 0.0)
    for _ in 0..<3600 {
      walk.advance(by: 1)
      if walk.speed == 0 { standing += 1 }
      #expect(walk.speed <= 1.6)
      distance += walk.speed
      farthest = max(farthest, (walk.east * walk.east + walk.north * walk.north).squareRoot())
    }
    #expect((60...2000).contains(standing))
    #expect((100...700).contains(farthest))
    #expect((2000...5000).contains(distance))
  }
}

@Test func `the pedestrian speeds up, brakes and turns smoothly, and walks where the heading points`() {
  // The longest step without an intermediate step.
  let step = 0.05
  for seed in 1...4 as ClosedRange<UInt64> {
    var walk = TownWalk(seed: seed)
    #expect((walk.east, walk.north, walk.speed) == (0, 0, 0))
    for _ in 0..<12_000 {
      let before = walk
      walk.advance(by: step)
      #expect(walk.speed >= 0 && walk.speed <= before.speed + 0.7001 * step)
      // Within the last decimetres before a stop, the pedestrian stands still.
      #expect(walk.speed >= before.speed - 0.9001 * step || walk.speed == 0 && before.speed < 0.7)
      #expect(abs((walk.heading - before.heading).remainder(dividingBy: 2 * .pi)) <= 1.2001 * step)
      let (east, north) = (walk.east - before.east, walk.north - before.north)
      let hasMoved = east != 0 || north != 0
      #expect(abs(east - (hasMoved ? walk.velocityEast * step : 0)) < 1e-9)
      #expect(abs(north - (hasMoved ? walk.velocityNorth * step : 0)) < 1e-9)
      #expect(walk.skyline == 10 || (15...40).contains(walk.skyline))
    }
  }
}
