import Base
import GNSS
import SeededNumbers
import Testing

@testable import Estimation

@Test func `the median is that of the latest 31, without the order in which they came`() {
  var random = SplitMix64(seed: 2)
  var median = RunningMedian()
  #expect(median.value == nil)
  var values: [Double] = []
  for _ in 0..<300 {
    // The values contain many duplicates.
    let value = random.uniform(0...9).rounded()
    median.add(value)
    values.append(value)
    let latest = values.suffix(31).sorted()
    #expect(median.value == latest[latest.count / 2])
    #expect(median.quantile(0.1) == latest[Int(0.1 * Double(latest.count))])
    #expect(median.quantile(0.999) == latest.last)
  }
  median.add(.nan)
  #expect(median.count == 31)
}

@Test func `a position in a plane is the position again, everywhere`() throws {
  var random = SplitMix64(seed: 8)
  for _ in 0..<2000 {
    let coordinate = try #require(
      Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180)))
    let plane = Plane(at: coordinate)
    let offset = Offset(x: random.uniform(-2000...2000), y: random.uniform(-2000...2000))
    let position = try #require(plane.coordinate(at: offset))
    #expect((plane.offset(of: position) - offset).length < 0.001)
  }
}

@Test func `a course seen in a plane is the course again`() throws {
  var random = SplitMix64(seed: 8)
  for _ in 0..<2000 {
    let coordinate = try #require(
      Coordinate(latitude: random.uniform(-89...89), longitude: random.uniform(-180...180)))
    let plane = Plane(at: coordinate)
    let course = random.uniform(0...359.99)
    let velocity = plane.velocity(speed: 12, course: course, at: coordinate)
    #expect(abs(velocity.length - 12) < 1e-9)
    #expect(abs((plane.course(of: velocity, at: coordinate) - course).remainder(dividingBy: 360)) < 1e-9)
  }
}

// MARK: Time

/// Returns an epoch that arrives some seconds after the start of the clock. `day` is a day of November 2026.
private func moment(_ day: Int?, _ hour: Int, _ minute: Int, _ second: Int, arrived: Double) -> Moment {
  let instant = MonotonicInstant(nanoseconds: Int64(arrived * 1e9))
  var epoch = Epoch(began: instant, ended: instant)
  epoch.date = day.flatMap { UTCDate(year: 2026, month: 11, day: $0) }
  epoch.timeOfDay = TimeOfDay(hour: hour, minute: minute, second: second)
  return Moment(epoch)
}

/// Two epochs, and the seconds between them.
private let moments: [(Moment, Moment, seconds: Double)] = [
  (moment(21, 23, 59, 59, arrived: 0), moment(22, 0, 0, 1, arrived: 7), 2),
  (moment(22, 0, 0, 1, arrived: 0), moment(21, 23, 59, 59, arrived: 7), -2),
  (moment(21, 12, 0, 0, arrived: 0), moment(23, 13, 0, 0, arrived: 7), 176_400),
  // A date is missing.
  (moment(nil, 23, 59, 59, arrived: 0), moment(22, 0, 0, 1, arrived: 7), 2),
  (moment(22, 0, 0, 1, arrived: 0), moment(nil, 23, 59, 59, arrived: 7), -2),
  (moment(nil, 12, 0, 0, arrived: 0), moment(nil, 12, 0, 10, arrived: 43_199.5), 10),
  (moment(nil, 0, 0, 0, arrived: 0), moment(nil, 12, 0, 1, arrived: 43_200.5), 43_200.5),
  (moment(nil, 12, 0, 0, arrived: 0), moment(nil, 12, 0, 0, arrived: 86_400), 86_400),
  // A time of day is missing, because the hour 24 does not exist.
  (moment(21, 24, 0, 0, arrived: 0), moment(22, 0, 0, 0, arrived: 7), 7),
  (moment(21, 0, 0, 0, arrived: 0), moment(22, 24, 0, 0, arrived: 7), 7),
]

@Test(arguments: moments.indices)
func `the time between two epochs comes from their dates, else from the time of day, else from their arrival`(
  number: Int
) {
  let (first, second, seconds) = moments[number]
  #expect(abs(first.seconds(to: second) - seconds) < 1e-6)
}

// MARK: Velocity

@Test(
  arguments: [
    (10, 90, 10), (10, nil, nil), (0.59, nil, 0), (0.6, nil, nil), (nil, 90, nil), (-1, 90, nil),
    (12_000, 90, 12_000), (12_001, 90, nil), (10, -360, 10), (10, 720, 10), (0.5, -361, 0), (10, 721, nil),
  ] as [(Double?, Double?, Double?)])
func `a velocity needs a plausible speed and a course, and a slow receiver without a course is at rest`(
  speed: Double?, course: Double?, expected: Double?
) throws {
  var epoch = Course.epoch(at: 0)
  (epoch.coordinate, epoch.speed, epoch.course) = (Course().start, speed, course)
  let velocity = try #require(Measurement(epoch)).velocity(in: Plane(at: Course().start))
  #expect(velocity.map { ($0.length * 1e6).rounded() / 1e6 } == expected)
}

@Test(arguments: [(nil, 0), (-1, 0), (.nan, 0), (0.3, 0.3), (1e9, 12_000)] as [(Double?, Double)])
func `an error of the velocity that no receiver measures is limited`(reported: Double?, deviation: Double) throws {
  var epoch = Course.epoch(at: 0)
  (epoch.coordinate, epoch.speedAccuracy) = (Course().start, reported)
  #expect(try #require(Measurement(epoch)).velocityDeviation == deviation)
}

/// A motion of one second, repeated: the velocities before and after it, and the true errors of scale and latency.
private let calibrated: [(before: Double, after: Double, scale: Double, latency: Double)] = [
  (10, 10, 0.05, 0), (-1, 1, 0, 0.4),
]

@Test(arguments: calibrated.indices, [1.0, 2])
func `the fifth motion gives the first estimate of the velocity errors, by regularised least squares`(
  number: Int, weakness: Double
) {
  let (before, after, scale, latency) = calibrated[number]
  let parameters = FilterParameters.standard
  var calibration = DopplerCalibration()
  let (way, change) = ((before + after) / 2, after - before)
  let residual = way * scale + change * latency
  let motion = Motion(
    seconds: 1, displacement: Offset(x: way + residual, y: 0), before: Offset(x: before, y: 0),
    after: Offset(x: after, y: 0))
  for _ in 0..<4 { calibration.add(motion, weakness: weakness, parameters) }
  #expect(calibration.scale == 0 && calibration.latency == 0)
  calibration.add(motion, weakness: weakness, parameters)
  // The variance of the residual follows from the median of the residuals and from the least error of a receiver.
  let usual = residual / 1.1774
  let variance = (usual * usual + parameters.leastError * parameters.leastError) * weakness * weakness
  func share(_ known: Double, _ prior: Double) -> Double {
    known * known / variance / (known * known / variance + 1 / (prior * prior))
  }
  #expect(abs(calibration.scale - scale * share(way, parameters.scaleDeviation)) < 1e-9)
  #expect(abs(calibration.latency - latency * share(change, parameters.latencyDeviation)) < 1e-9)
}

@Test(arguments: [(2, 3, 0.6, 1.5), (-2, -3, -0.6, -0.5)])
func `the estimated errors of the velocity are limited`(
  scale: Double, latency: Double, mostScale: Double, mostLatency: Double
) {
  var parameters = FilterParameters.standard
  (parameters.scaleDeviation, parameters.latencyDeviation) = (100, 100)
  var (straight, turning) = (DopplerCalibration(), DopplerCalibration())
  let velocity = Offset(x: 10, y: 0)
  for _ in 0..<5 {
    straight.add(
      Motion(seconds: 1, displacement: velocity * (1 + scale), before: velocity, after: velocity), weakness: 1,
      parameters)
    turning.add(
      Motion(seconds: 1, displacement: velocity * (2 * latency), before: velocity * -1, after: velocity), weakness: 1,
      parameters)
  }
  #expect((straight.scale, straight.latency) == (mostScale, 0))
  #expect((turning.scale, turning.latency) == (0, mostLatency))
  #expect((straight.corrected(velocity) - velocity * (1 + mostScale)).length < 1e-9)
  let corrected = turning.corrected(velocity, change: Offset(x: 0, y: 2))
  #expect((corrected - velocity - Offset(x: 0, y: 2 * mostLatency)).length < 1e-9)
}

@Test func `short motions form one sample, and a motion without a velocity ends the sample`() {
  let velocity = Offset(x: 10, y: 0)
  func motion(_ seconds: Double, after: Offset? = Offset(x: 10, y: 0)) -> Motion {
    Motion(seconds: seconds, displacement: velocity * (1.1 * seconds), before: velocity, after: after)
  }
  var calibration = DopplerCalibration()
  // Five samples of two motions each.
  for _ in 0..<9 { calibration.add(motion(0.5), weakness: 1, .standard) }
  #expect(calibration.scale == 0)
  calibration.add(motion(0.5), weakness: 1, .standard)
  #expect(calibration.scale > 0)
  var long = DopplerCalibration()
  for _ in 0..<5 { long.add(motion(4.5), weakness: 1, .standard) }
  #expect(long.scale > 0)
  var interrupted = DopplerCalibration()
  for _ in 0..<20 {
    interrupted.add(motion(0.5), weakness: 1, .standard)
    interrupted.add(motion(0.5, after: nil), weakness: 1, .standard)
    interrupted.add(motion(4.6), weakness: 1, .standard)
  }
  #expect(interrupted.scale == 0)
}

@Test(arguments: [true, false])
func `a motion of more than four and a half seconds is no sample of the noise`(usesDoppler: Bool) {
  let velocity = Offset(x: 10, y: 0)
  func deviation(_ seconds: Double) -> Double? {
    var noise = WhiteNoise()
    // The first motion has no previous motion, which the second difference needs.
    for _ in 0..<6 {
      let motion = Motion(seconds: seconds, displacement: velocity * seconds, before: velocity, after: velocity)
      noise.add(motion, usesDoppler: usesDoppler, .standard)
    }
    return noise.deviation
  }
  #expect((deviation(0.95), deviation(4.5), deviation(4.6)) == (0, 0, nil))
}

// MARK: The tests of the filter

@Test func `a receiver is at rest after half a minute of positions around one place`() throws {
  var resting = RestingPosition()
  func position(_ number: Int) -> Offset { Offset(x: number.isMultiple(of: 2) ? 1 : -1, y: 0) }
  for number in 0..<29 { resting.add(position(number), speed: 0.59, after: 1, .standard) }
  #expect(resting.mean == nil)
  resting.add(position(29), speed: 0.59, after: 1, .standard)
  #expect(try #require(resting.mean).length < 1e-9)
  // The mean stays at its place in a plane with another origin.
  let origin = Offset(x: 1000, y: -500)
  resting.move(to: origin)
  #expect(try (#require(resting.mean) + origin).length < 1e-9)
  resting.add(position(30) - origin, speed: 0, after: 1, .standard)
  #expect(try (#require(resting.mean) + origin).length < 0.1)
  resting.add(position(31) - origin, speed: 0.6, after: 1, .standard)
  #expect(resting.mean == nil)
}

@Test func `a slow vehicle on a straight road is not at rest`() {
  var resting = RestingPosition()
  for second in 0..<300 {
    resting.add(Offset(x: 0.5 * Double(second), y: 0), speed: 0.5, after: 1, .standard)
    #expect(resting.mean == nil)
  }
}

/// Returns the seconds after which the course test finds a wrong course within 20 s. The vehicle goes to the north.
private func detection(
  said: Offset, measured: Double = 10, sigma: Double = 1, seconds: Double = 1, missing: Int? = nil
) -> Int? {
  var test = CourseContradiction()
  return (1...20).first { number in
    let motion = Motion(
      seconds: seconds, displacement: Offset(x: 0, y: measured * seconds), before: said,
      after: number == missing ? nil : said)
    return test.add(motion, sigma: sigma, .standard)
  }
}

@Test func `a course that is wrong for 2 s on a path of 15 m is found`() {
  let east = Offset(x: 10, y: 0)
  // The weighted path is 10 m after 1 s, and 17.8 m after 2 s.
  #expect(detection(said: east) == 3)
  #expect(detection(said: Offset(x: 0, y: 10)) == nil)
  // The difference is 25.2 m after 2 s, and 33.7 m after 3 s. The error of the positions explains 27 m.
  #expect(detection(said: east, sigma: 9) == 4)
  // Positions and velocities with different lengths show another error.
  #expect(detection(said: east, measured: 12) == 3)
  #expect(detection(said: east, measured: 14) == nil)
  // A long interval, or an epoch without a velocity, begins the test again.
  #expect(detection(said: east, seconds: 2.5) == 1)
  #expect(detection(said: east, seconds: 2.6) == nil)
  #expect(detection(said: east, missing: 3) == 6)
}

/// A motion of 2 s to the east: the displacement by the positions, the displacement by the velocities, and the standard
/// deviation of the positions, in metres.
@Test(
  arguments: [
    // The difference is half of the path, or three standard deviations.
    (Offset(x: 20, y: 10), 20, 1, false), (Offset(x: 20, y: 10.1), 20, 1, true),
    (Offset(x: 20, y: 12), 20, 4, false), (Offset(x: 20, y: 12), 20, 3.9, true),
    // The path is 15 m long, or the lengths differ by 30 %.
    (Offset(x: 0, y: 15), 15, 1, false), (Offset(x: 0, y: 15.1), 15.1, 1, true),
    (Offset(x: 0, y: 26), 20, 1, false), (Offset(x: 0, y: 25.9), 20, 1, true),
  ] as [(Offset, Double, Double, Bool)])
func `a course is wrong only beyond each limit of the course test`(
  measured: Offset, said: Double, sigma: Double, isFound: Bool
) {
  let velocity = Offset(x: said / 2, y: 0)
  var test = CourseContradiction()
  let motion = Motion(seconds: 2, displacement: measured, before: velocity, after: velocity)
  let found = test.add(motion, sigma: sigma, .standard)
  #expect(found == isFound)
}

/// Returns an innovation with a variance of 1 m².
private func innovation(_ squared: Double) -> Innovation {
  Innovation(offset: Offset(x: squared.squareRoot(), y: 0), predicted: 0.5, measured: 0.5)
}

extension DopplerTrust {
  /// Compares the models until the velocities are trusted or not trusted, and returns the count of comparisons; nil
  /// after 1000 comparisons.
  fileprivate func comparisons(
    until isTrusted: Bool, doppler: Double, positions: Double, said: Double = 10, moved: Double = 10,
    seconds: Double = 1
  ) -> Int? {
    var trust = self
    return (1...1000).first { _ in
      trust.compare(
        doppler: innovation(doppler), positions: innovation(positions), said: said, moved: moved, after: seconds,
        .standard)
      return trust.isTrusted == isTrusted
    }
  }
}

@Test func `velocities lose the trust above a score of 8, and get it back below a score of -5`() {
  var trust = DopplerTrust()
  #expect(trust.isTrusted && !trust.leads)
  // A comparison adds 4 to the score, or half of this after half a second.
  #expect(trust.comparisons(until: false, doppler: 4, positions: 0) == 3)
  #expect(trust.comparisons(until: false, doppler: 4, positions: 0, seconds: 0.5) == 5)
  #expect(trust.comparisons(until: false, doppler: 4, positions: 0, seconds: 2) == 3)
  // Without motion, and if both models reject the position, a comparison has no effect.
  #expect(trust.comparisons(until: false, doppler: 4, positions: 0, said: 0, moved: 3) == nil)
  #expect(trust.comparisons(until: false, doppler: 1e4, positions: 10) == nil)
  // The score is at least -100, and at most 120.
  for _ in 0..<200 {
    trust.compare(
      doppler: innovation(0), positions: innovation(4), said: 10, moved: 0, after: 1, .standard)
  }
  #expect(trust.leads)
  #expect(trust.comparisons(until: false, doppler: 4, positions: 0) == 28)
  trust.forget()
  #expect(trust.isTrusted && !trust.leads)
  #expect(trust.comparisons(until: false, doppler: 4, positions: 0) == 3)
  trust.lose(.standard)
  trust.compare(doppler: innovation(4), positions: innovation(0), said: 10, moved: 0, after: 1, .standard)
  #expect(trust.comparisons(until: true, doppler: 0, positions: 4) == 32)
  #expect(trust.comparisons(until: true, doppler: 0, positions: 4, said: 0) == nil)
  trust.forget()
  #expect(trust.comparisons(until: true, doppler: 0, positions: 4) == 32)
  trust.regain()
  #expect(trust.comparisons(until: false, doppler: 4, positions: 0) == 3)
}

@Test(arguments: [
  (FixQuality.autonomous, 13.5), (.differential, 3), (.precise, 3), (.rtkFixed, 0.19), (.rtkFloat, 0.19),
  (.estimated, 59), (.manual, 13.5), (.simulator, 13.5),
])
func `the variance from HDOP contains the bias, and the variance from an estimate does not`(
  quality: FixQuality, variance: Double
) {
  var epoch = Course.epoch(at: 0)
  (epoch.quality, epoch.dilutionOfPrecision.horizontal) = (quality, 1)
  let deviation = AccuracyModel.horizontalDeviation(of: epoch)
  #expect(abs(deviation * deviation - variance) < 1e-9)
  epoch.coordinate = Course().start
  var filter = PositionFilter()
  let radius = filter.update(epoch)?.horizontalAccuracy ?? 0
  let isMeasured = [FixQuality.autonomous, .differential, .rtkFixed].contains(quality)
  #expect(!isMeasured || radius >= AccuracyModel.radius68 * AccuracyModel.bias(of: quality))
  epoch.errorStatistics = ErrorStatistics(latitude: 2, longitude: 2)
  #expect(abs(AccuracyModel.horizontalDeviation(of: epoch) - 2) < 1e-9)
}
