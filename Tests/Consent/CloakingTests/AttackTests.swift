import GNSS
import SeededNumbers
import Testing

@testable import Cloaking

/// Returns the offset between two positions in metres, in the plane.
private func offset(from position: Coordinate, to other: Coordinate) -> (east: Double, north: Double) {
  let north = (other.latitude - position.latitude) * 111_000
  let distance = position.distance(to: other)
  let east = max(0, distance * distance - north * north).squareRoot()
  return (other.longitude < position.longitude ? -east : east, north)
}

@Test func `ten thousand requests and daily restarts reveal no more than the first request`() throws {
  var generator = SplitMix64(seed: 1)
  for seed in 0..<3 as Range<UInt64> {
    var device = try Device(seed: seed)
    let home = generator.positionInTown()
    let first = device.ask(home).coordinate
    for ask in 1..<10_000 {
      device.wait(600)
      if ask % 144 == 0 { try device.restart() }
      if ask % 1000 == 0 { try device.reboot() }
      let noisy = home.moved(east: generator.metres(-8...8), north: generator.metres(-8...8))
      guard device.answer(noisy)?.coordinate == first else {
        Issue.record("the answer changed at ask \(ask) of seed \(seed)")
        return
      }
    }
  }
}

@Test func `the error is 1300 m or more in the mean, and 95 % of answers are within 2.75 km`() throws {
  var generator = SplitMix64(seed: 2)
  var errors: [Double] = []
  for seed in 0..<1000 as Range<UInt64> {
    var device = try Device(seed: seed)
    let position = generator.position()
    errors.append(device.ask(position).coordinate.distance(to: position))
  }
  errors.sort()
  #expect((1300...1500).contains(errors.reduce(0, +) / 1000))
  #expect(errors[500] > 1100)
  #expect(errors[950] < 2750)
}

@Test func `after 10 days of nights and errands, the mean error of a home is 1200 m`() throws {
  var generator = SplitMix64(seed: 3)
  var total = 0.0
  let users = 200
  for seed in 0..<UInt64(users) {
    var device = try Device(seed: seed)
    let home = generator.positionInTown()
    var (east, north) = (0.0, 0.0)
    let days = 10
    for _ in 0..<days {
      for _ in 0..<3 {
        device.wait(3600)
        let errand = home.moved(east: generator.metres(-1400...1400), north: generator.metres(-1400...1400))
        let seen = offset(from: home, to: device.ask(errand).coordinate)
        (east, north) = (east + seen.east, north + seen.north)
      }
      for _ in 0..<4 {
        device.wait(2 * 3600)
        let seen = offset(from: home, to: device.ask(home).coordinate)
        (east, north) = (east + seen.east, north + seen.north)
      }
    }
    total += (east * east + north * north).squareRoot() / Double(7 * days)
  }
  #expect(total / Double(users) > 1200)
}

/// Returns the mean error in metres, in the middle of a straight passage of 12 hours at 2.6 m/s, of the line through
/// the answers by least squares.
private func passageError(_ mechanism: Mechanism) throws -> Double {
  var generator = SplitMix64(seed: 4)
  var total = 0.0
  let users = 100
  for seed in 0..<UInt64(users) {
    var device = try Device(seed: seed, mechanism: mechanism)
    let start = generator.positionInTown()
    let (east, north) = (generator.metres(-1...1), generator.metres(-1...1))
    let speed = 2.6 * 900 / (east * east + north * north).squareRoot()
    let path = (-24...24).map { start.moved(east: Double($0) * speed * east, north: Double($0) * speed * north) }
    let answers = path.map { device.nextSlot($0) }
    // In the middle of the passage, the line has the mean of the answers.
    let middle = Coordinate(
      latitude: answers.map(\.latitude).reduce(0, +) / 49, longitude: answers.map(\.longitude).reduce(0, +) / 49)!
    let truth = Coordinate(
      latitude: path.map(\.latitude).reduce(0, +) / 49, longitude: path.map(\.longitude).reduce(0, +) / 49)!
    total += middle.distance(to: truth)
  }
  return total / Double(users)
}

@Test func `the line through the answers of a passage of 12 hours misses the course by 800 m in the mean`() throws {
  #expect(try passageError(.shared) > 800)
  // Without the shared offset, the errors of the answers average out.
  #expect(try passageError(.independent) < 400)
}
