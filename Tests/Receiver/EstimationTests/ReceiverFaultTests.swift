import Foundation
import GNSS
import SeededNumbers
import Testing

@testable import Estimation

@Test(arguments: [0.0, 5, 14], [25.0, 40, 80])
func `8 s after a receiver recovers from a drift, the fix is at most 5 m worse than the receiver`(
  speed: Double, metres: Double
) {
  for seed in 1...6 as ClosedRange<UInt64> {
    var journey = Journey(seconds: 240, noise: 0.3, wander: 0.8, position: Journey.straight(speed))
    // A drift over a minute, and one outlier during the recovery.
    journey.fault = { sample, _ in
      let drift = (100..<160).contains(sample.index) ? metres * Double(sample.index - 100) / 60 : 0
      sample.position = sample.position.map { $0 + Offset(x: sample.index == 163 ? -60 : drift, y: 0) }
    }
    for result in journey.results(seed: seed) where result.seconds >= 168 {
      #expect(result.error <= (result.raw ?? 0) + 5, "seed \(seed), \(result.seconds) s")
    }
  }
}

@Test(arguments: [(5.0, 1), (10, 1), (30, 1), (30, 2), (30, 3)])
func `a repeated epoch never moves the fix, also without speed`(speed: Double, epochs: Int) {
  var journey = Journey(seconds: 120, noise: 0.3, hasSpeed: false, position: Journey.straight(speed))
  let clean = journey.results()
  journey.fault = { sample, _ in
    if (60..<60 + epochs).contains(sample.index) { sample.position = Journey.straight(speed)(59) }
  }
  for (result, usual) in zip(journey.results(), clean) where result.seconds >= 60 {
    #expect((result.position - usual.position).length < 3, "\(result.seconds) s")
  }
}

@Test(arguments: [2.5, 15, 40], [1.0, 5])
func `a position that the receiver repeats while it moves is coasted, and is no fix after 30 s`(
  speed: Double, rate: Double
) {
  var course = Course(speed: speed)
  course.rate = rate
  var filter = PositionFilter()
  let last = Int(60 * rate)
  var epochs = course.epochs(Int(120 * rate))
  for index in (last + 1)..<Int(100 * rate) { epochs[index].coordinate = epochs[last].coordinate }
  for (index, epoch) in epochs.enumerated() {
    let (fix, seconds) = (filter.update(epoch), Double(index - last) / rate)
    guard (last + 1..<Int(100 * rate)).contains(index) else {
      #expect(fix?.isCoasted == false)
      continue
    }
    #expect((fix != nil) == (seconds <= 30))
    guard let fix else { continue }
    // Some receivers send each position several times in a second.
    let isCoasted = seconds >= 1
    #expect(fix.isCoasted == isCoasted && fix.quality == (isCoasted ? .estimated : .autonomous))
    #expect(fix.arrived == epochs[last].began)
    #expect(Course.distance(fix.coordinate, course.truth(after: Double(index) / rate)) <= fix.horizontalAccuracy)
  }
}

/// The vehicle brakes with 5 m/s² after some seconds in which the receiver has repeated one position.
@Test(arguments: [1, 4, 10, 25, 40])
func `a position that was repeated on the way is no fix after a stop`(driven: Int) {
  let (last, speed) = (60, 15.0)
  func way(_ second: Int) -> Double {
    let braking = Double(max(0, second - last - driven))
    return speed * Double(min(second, last + driven)) + speed * min(braking, 3) - 2.5 * pow(min(braking, 3), 2)
  }
  let plane = Plane(at: Course().start)
  var filter = PositionFilter()
  var template = Course(speed: speed).epochs(last + driven + 60)
  for index in template.indices {
    template[index].coordinate = plane.coordinate(at: Offset(x: 0, y: way(min(index, last))))
    template[index].course = 0
    template[index].speed = way(index) - way(index - 1)
    let fix = filter.update(template[index])
    guard index > last else { continue }
    let distance = fix.map { plane.offset(of: $0.coordinate).y - way(index) }
    #expect(fix.map { abs(distance ?? 0) < 3 * $0.horizontalAccuracy } ?? (index > last + 30), "second \(index)")
  }
}

@Test func `a receiver that holds its position at a stop keeps its fix`() {
  var epochs = Course(speed: 3).epochs(120)
  for index in 60..<120 {
    (epochs[index].coordinate, epochs[index].speed) = (epochs[60].coordinate, index == 61 ? 2.5 : 0)
  }
  var filter = PositionFilter()
  for (index, epoch) in epochs.enumerated() {
    let fix = filter.update(epoch)
    #expect(fix != nil && (fix?.isCoasted == false || index == 61), "second \(index)")
  }
}

@Test(arguments: [3.0, 5, 8, 10, 15, 25], [1, 2, 3, 4])
func `without speed, the first new position after a repeated one is used at once`(speed: Double, epochs: Int) {
  for seed in 1...6 as ClosedRange<UInt64> {
    var journey = Journey(seconds: 120, noise: 0.3, hasSpeed: false, position: Journey.straight(speed))
    var repeated: Offset?
    journey.fault = { sample, _ in
      if sample.index == 59 { repeated = sample.position }
      if (60..<60 + epochs).contains(sample.index) { sample.position = repeated }
    }
    for result in journey.results(seed: seed) where result.seconds >= Double(60 + epochs) {
      #expect(result.error <= (result.raw ?? 0) + 1, "seed \(seed), \(result.seconds) s")
    }
  }
}

@Test(arguments: [5.0, 14, 30], [0.3, 0.6, 1])
func `without speed, a late epoch costs at most the two fixes after it`(speed: Double, late: Double) {
  for seed in 1...6 as ClosedRange<UInt64> {
    var journey = Journey(seconds: 120, noise: 0.3, hasSpeed: false, position: Journey.straight(speed))
    journey.fault = { sample, _ in
      guard sample.index == 60 else { return }
      sample.position = sample.position.map { $0 - Journey.straight(speed)(late) }
    }
    for result in journey.results(seed: seed) where result.seconds >= 63 {
      #expect(result.error <= (result.raw ?? 0) + 1, "seed \(seed), \(result.seconds) s")
    }
  }
}

@Test(arguments: [true, false])
func `at rest with a weak signal hacc is as large as the scatter of the positions, also without speed`(hasSpeed: Bool) {
  var (inside, count) = (0, 0)
  for seed in 1...10 as ClosedRange<UInt64> {
    var random = SplitMix64(seed: seed)
    var scatter = Offset.zero
    var filter = PositionFilter()
    for second in 0..<600 {
      scatter = scatter * exp(-0.1) + Offset(x: random.normal(), y: random.normal()) * (14 * sqrt(1 - exp(-0.2)))
      var epoch = Course.epoch(at: Double(second))
      epoch.coordinate = Course.moved(Course().start, by: scatter)
      (epoch.quality, epoch.mode) = (.autonomous, .twoDimensional)
      if hasSpeed { epoch.speed = random.uniform(0.3...0.5) }
      epoch.dilutionOfPrecision.horizontal = 1.5
      guard let fix = filter.update(epoch), second >= 60 else { continue }
      count += 1
      if Course.distance(fix.coordinate, Course().start) <= fix.horizontalAccuracy { inside += 1 }
    }
  }
  #expect(Double(inside) >= 0.6 * Double(count))
}

@Test func `20 s after a glitch of 3 s hacc is as large as before`() throws {
  var journey = Journey(seconds: 160, noise: 0.3, position: Journey.straight(10))
  let usual = try #require(journey.results().last).accuracy
  journey.fault = { sample, _ in
    if (100..<103).contains(sample.index) { sample.position = sample.position.map { $0 + Offset(x: 40, y: 30) } }
  }
  for result in journey.results() where result.seconds >= 105 { #expect(result.accuracy <= 2 * usual) }
}

@Test func `the error of the first minute does not stay in the position at rest`() {
  // A receiver that does not filter, and that finds its position within a minute.
  var journey = Journey(seconds: 300, noise: 1.2, deviation: 3) { _ in .zero }
  journey.fault = { sample, _ in
    sample.position = sample.position.map { $0 + Offset(x: 20, y: 15) * exp(-sample.seconds / 8) }
  }
  let errors = (1...10 as ClosedRange<UInt64>).flatMap { seed in
    journey.results(seed: seed).filter { $0.seconds >= 60 }.map(\.error)
  }
  // The mean error of the receiver itself is 1.5 m, and the error at 60 s stays for a time.
  let mean = errors.reduce(0, +) / Double(errors.count)
  #expect(mean < 1.5)
}

@Test func `a reflection at rest does not end the trust in a speed of 0 for ever`() {
  // The fix keeps its position again after the reflection: its path is shorter than that of the receiver.
  var (path, measured) = (0.0, 0.0)
  for seed in 1...10 as ClosedRange<UInt64> {
    var journey = Journey(seconds: 240, noise: 0.3, deviation: 2) { _ in .zero }
    journey.fault = { sample, _ in
      let passed = (sample.seconds - 100) / 8
      guard (0...1).contains(passed) else { return }
      sample.position = sample.position.map { $0 + Offset(x: 20 * sin(.pi * passed), y: 0) }
    }
    func length(_ positions: [Offset]) -> Double {
      zip(positions, positions.dropFirst()).map { ($1 - $0).length }.reduce(0, +)
    }
    path += length(journey.results(seed: seed).filter { $0.seconds >= 150 }.map(\.position))
    measured += length(journey.samples(seed: seed).filter { $0.seconds >= 150 }.compactMap(\.position))
  }
  #expect(path < 0.5 * measured, "\(path / measured)")
}
