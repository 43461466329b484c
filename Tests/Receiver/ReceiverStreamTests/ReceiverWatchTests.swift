import Base
import GNSS
import SeededNumbers
import Testing
@testable import Decoding

private func second(_ seconds: Double) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
}

/// A simulated drive with one epoch per second.
private struct Drive {
  var watch = ReceiverWatch()
  var seconds = 0.0
  var (north, east) = (0.0, 0.0)
  var quality = FixQuality.autonomous

  /// Sends an epoch with the present position.
  mutating func send(speed: Double? = nil, course: Double? = nil, hasFix: Bool = true) {
    var epoch = Epoch(began: second(seconds), ended: second(seconds))
    if hasFix {
      epoch.coordinate = Coordinate(latitude: 47 + north / 111_194.9, longitude: 8 + east / 75_833)
      epoch.quality = quality
      epoch.mode = .threeDimensional
      epoch.horizontalAccuracy = 3
      epoch.speed = speed
      epoch.course = course
    } else {
      epoch.quality = .invalid
    }
    watch.receive(epoch)
  }

  /// Moves to the east for some seconds, and reports the given speed and course.
  mutating func move(
    for count: Int, at pace: Double = 0, speed: Double? = 0, course: Double? = 90, hasFix: Bool = true
  ) {
    for _ in 0..<count {
      seconds += 1
      east += pace
      send(speed: speed, course: course, hasFix: hasFix)
    }
  }

  var signals: SignalState { watch.signals(at: second(seconds)) }
}

// MARK: Verdicts

@Test func `the worst verdict of all messages counts, for a minute`() {
  var watch = ReceiverWatch()
  #expect(watch.signals(at: second(0)) == SignalState())
  #expect(watch.signals(at: second(0)).words.isEmpty)
  watch.receive(verdicts(spoofing: 1), at: second(0))
  watch.receive(verdicts(jamming: 1), at: second(0))
  #expect(watch.signals(at: second(0)).words == ["none"])
  watch.receive(verdicts(spoofing: 3), at: second(10))
  watch.receive(verdicts(spoofing: 1), at: second(20))
  #expect(watch.signals(at: second(20)).words == ["spoofing"])
  #expect(watch.signals(at: second(69.9)).suspicion == .spoofing)
  #expect(watch.signals(at: second(70)).words == ["none"])
  #expect(watch.signals(at: second(80)).words.isEmpty)
}

@Test func `a milder verdict does not end a worse one within a minute`() {
  var watch = ReceiverWatch()
  watch.receive(verdicts(jamming: 3), at: second(0))
  watch.receive(verdicts(jamming: 2), at: second(30))
  for time in 31..<120 {
    watch.receive(verdicts(jamming: 1), at: second(Double(time)))
    let word = time < 60 ? "jamming" : time < 90 ? "interference" : "none"
    #expect(watch.signals(at: second(Double(time))).words == [word])
  }
}

@Test func `false signals are the first suspicion, then a jump, then interference`() {
  let all = SignalThreat.suspected
  #expect(SignalState(spoofing: all, jamming: all, hasJumped: true).suspicion == .spoofing)
  #expect(SignalState(spoofing: .none, jamming: .certain, hasJumped: true).suspicion == .jump)
  #expect(SignalState(spoofing: .none, jamming: .suspected).suspicion == .jamming)
  #expect(SignalState(spoofing: .none, jamming: .none).suspicion == nil)
  #expect(
    SignalState(spoofing: .suspected, jamming: .certain, hasJumped: true).words
      == ["spoofing-suspected", "jump", "jamming"])
  #expect(SignalState(spoofing: .certain, jamming: .suspected).words == ["spoofing", "interference"])
}

private func verdicts(spoofing: UInt8? = nil, jamming: UInt8? = nil) -> SignalThreats {
  var bytes = [UInt8](repeating: 0, count: 60)
  if let jamming { bytes[22] = jamming << 2 }
  if let spoofing { bytes[7] = spoofing << 3 }
  let identifier: UBXIdentifier = spoofing == nil ? .monHW : .navSTATUS
  guard let verdicts = try? SignalThreats(identifier, bytes.span) else { preconditionFailure() }
  return verdicts
}

// MARK: Jumps

@Test(arguments: [true, false])
func `a change of the position after a loss of the fix, or with another method, is no jump`(isLost: Bool) {
  var drive = Drive()
  drive.move(for: 40)
  if isLost { drive.move(for: 5, hasFix: false) } else { drive.quality = .differential }
  drive.north += 2000
  drive.move(for: 1)
  #expect(drive.signals.suspicion == nil)
  #expect(drive.watch.jumps == 0)
}

@Test func `an opened port forgets the state of the former receiver, and keeps the count of jumps`() {
  var drive = Drive()
  drive.move(for: 40)
  drive.north += 2000
  drive.move(for: 1)
  #expect(drive.signals.suspicion == .jump)
  drive.watch.reset()
  #expect(drive.signals == SignalState())
  #expect(drive.watch.jumps == 1)
}

// MARK: Contradictions

@Test(
  arguments: [
    (20, 20, 90, []), (20, 20, nil, []), (20, nil, nil, [.noSpeed]), (0, 0, nil, []), (20, 20, 100, []),
    (20, 20, 135, [.wrongCourse]), (20, 20, 270, [.wrongCourse]), (20, 38.9, 90, [.wrongSpeed]),
    // The speed in knots, as if it were in metres per second.
    (20, 10.3, 90, [.wrongSpeed]),
    // A speed that a receiver reports while it stands.
    (0, 20, 90, [.repeatedPositions]),
    // The course counts from 5 m/s on.
    (4.9, 4.9, 270, []), (5, 5, 270, [.wrongCourse]),
  ] as [(Double, Double?, Double?, Set<ReceiverDefect>)])
func `a speed or a course that contradicts the positions is a defect`(
  pace: Double, speed: Double?, course: Double?, defects: Set<ReceiverDefect>
) {
  var drive = Drive()
  drive.move(for: 30, at: pace, speed: speed, course: course)
  #expect(drive.watch.defects.isEmpty)
  drive.move(for: 100, at: pace, speed: speed, course: course)
  #expect(drive.watch.defects == defects)
}

@Test func `positions that repeat in every second epoch are a defect`() {
  var drive = Drive()
  for step in 0..<150 { drive.move(for: 1, at: step % 2 == 0 ? 20 : 0, speed: 10) }
  #expect(drive.watch.defects == [.repeatedPositions])
}

@Test func `a defect that ends disappears after some minutes`() {
  var drive = Drive()
  drive.move(for: 300, at: 20, speed: nil)
  #expect(drive.watch.defects == [.noSpeed])
  drive.move(for: 200, at: 20, speed: 38.9)
  #expect(drive.watch.defects == [.wrongSpeed])
  drive.move(for: 900, at: 20, speed: 20)
  #expect(drive.watch.defects.isEmpty)
}

@Test func `noise of the positions and slow motion are no defect`() {
  var drive = Drive()
  var random = SplitMix64(seed: 11)
  for step in 0..<600 {
    drive.seconds += 1
    // Walks at 1.4 m/s and drives at 8 m/s, with errors of 2 m that change slowly.
    let speed = step / 100 % 2 == 0 ? 1.4 : 8.0
    drive.east += speed + Double.random(in: -1..<1, using: &random)
    drive.send(speed: speed, course: 90 + Double.random(in: -10..<10, using: &random))
  }
  #expect(drive.watch.defects.isEmpty && drive.watch.jumps == 0)
}

// MARK: Limits

@Test(arguments: [(3.0, 1), (3.1, 0)])
func `a jump needs two epochs at most 3 s apart`(gap: Double, jumps: Int) {
  var drive = Drive()
  drive.move(for: 40)
  drive.seconds += gap - 1
  drive.north += 4000
  drive.move(for: 1)
  #expect(drive.watch.jumps == jumps)
}

/// Returns the seconds in which a jump is detected. The positions are in metres, one for each second.
private func jumps(_ positions: [Double], _ change: (inout Epoch) -> Void) -> [Int] {
  var detector = JumpDetector()
  return positions.indices.filter { number in
    var epoch = Epoch(began: second(Double(number)), ended: second(Double(number)))
    epoch.coordinate = Coordinate(latitude: 47 + positions[number] / 111_195.08, longitude: 8)
    change(&epoch)
    return detector.isJump(epoch)
  }
}

/// The data of a receiver, and the distance in metres that the data explains within a second: the speed, 20 m for the
/// acceleration, and 150 m or ten times both accuracies.
private let explanations: [(Double, @Sendable (inout Epoch) -> Void)] = [
  (170, { ($0.speed, $0.horizontalAccuracy) = (0, 3) }), (220, { ($0.speed, $0.horizontalAccuracy) = (50, 3) }),
  (470, { ($0.speed, $0.horizontalAccuracy) = (nil, 3) }), (620, { ($0.speed, $0.horizontalAccuracy) = (0, 30) }),
  (620, { $0.speed = 0 }),
  // The larger speed of the two epochs counts, and the accuracy of each.
  (220, { ($0.speed, $0.horizontalAccuracy) = ($0.isLast ? 50 : 0, 3) }),
  (220, { ($0.speed, $0.horizontalAccuracy) = ($0.isLast ? 0 : 50, 3) }),
  (620, { ($0.speed, $0.horizontalAccuracy) = (0, $0.isLast ? 57 : 3) }),
  (620, { ($0.speed, $0.horizontalAccuracy) = (0, $0.isLast ? 3 : 57) }),
  (420, { ($0.speed, $0.dilutionOfPrecision.horizontal) = (0, 2) }),
  (520, { ($0.speed, $0.errorStatistics) = (0, ErrorStatistics(latitude: 15, longitude: 20)) }),
  // With the error of one axis only, the accuracy is not better than HDOP, or than the same error of both axes.
  (620, { ($0.speed, $0.errorStatistics) = (0, ErrorStatistics(latitude: 1)) }),
  (1434.21, { ($0.speed, $0.errorStatistics) = (0, ErrorStatistics(latitude: 50)) }),
  (1434.21, { ($0.speed, $0.errorStatistics) = (0, ErrorStatistics(latitude: 0, longitude: 50)) }),
  (
    420,
    {
      ($0.speed, $0.dilutionOfPrecision.horizontal) = (0, 2)
      $0.errorStatistics = ErrorStatistics(latitude: 1, longitude: 0)
    }
  ),
]

extension Epoch {
  /// Whether the epoch has the position after those at rest.
  fileprivate var isLast: Bool { began == second(40) }
}

@Test(arguments: explanations.indices)
func `a distance that speed, acceleration and accuracy do not explain is a jump`(number: Int) {
  let (distance, change) = explanations[number]
  let standing = [Double](repeating: 0, count: 40)
  #expect(jumps(standing + [distance - 0.1], change) == [])
  #expect(jumps(standing + [distance + 0.1], change) == [40])
}

@Test(arguments: [(29, 40, [69]), (30, 29, [30]), (30, 30, [30, 60])])
func `a jump needs 30 s of positions after the start or the last jump`(first: Int, second: Int, expected: [Int]) {
  let positions =
    [Double](repeating: 0, count: first) + [Double](repeating: 2000, count: second) + [0, 0]
  #expect(jumps(positions) { ($0.speed, $0.horizontalAccuracy) = (0, 3) } == expected)
}

@Test(
  arguments: [(nil, 90, 60, [.noSpeed]), (38.9, 90, 61, [.wrongSpeed]), (20, 270, 61, [.wrongCourse])]
    as [(Double?, Double, Int, Set<ReceiverDefect>)])
func `a defect needs 60 measurements, or 60 pairs of measurements`(
  speed: Double?, course: Double, count: Int, defects: Set<ReceiverDefect>
) {
  var drive = Drive()
  drive.move(for: count - 1, at: 20, speed: speed, course: course)
  #expect(drive.watch.defects.isEmpty)
  drive.move(for: 1, at: 20, speed: speed, course: course)
  #expect(drive.watch.defects == defects)
}

@Test(arguments: [(2.5, [.wrongSpeed]), (2.6, [])] as [(Double, Set<ReceiverDefect>)])
func `a pair of epochs counts for a defect if it is at most 2.5 s apart`(gap: Double, defects: Set<ReceiverDefect>) {
  var drive = Drive()
  for _ in 0..<100 {
    drive.seconds += gap - 1
    drive.move(for: 1, at: 20 * gap, speed: 38.9)
  }
  #expect(drive.watch.defects == defects)
}

@Test func `a defect shows after some minutes, however long the receiver had none`() {
  var drive = Drive()
  drive.move(for: 3000, at: 20, speed: 20)
  drive.move(for: 720, at: 20, speed: nil)
  #expect(drive.watch.defects == [.noSpeed])
}
