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

@Test func `white noise is found beside motion, with Doppler and without`() throws {
  for hasDoppler in [true, false] {
    var random = SplitMix64(seed: 4)
    var white = WhiteNoise()
    var last = Offset.zero
    for second in 1...400 {
      let position = Offset(x: 12 * Double(second), y: 3) + Offset(x: random.normal(), y: random.normal()) * 2
      let velocity = Offset(x: 12, y: 0)
      let motion = Motion(seconds: 1, displacement: position - last, before: velocity, after: velocity)
      white.add(motion, usesDoppler: hasDoppler, .standard)
      last = position
    }
    #expect((1.4...2.7).contains(try #require(white.deviation)))
  }
}

@Test func `altitudes are filtered likewise: an outlier goes, a receiver's own passes, a hill is climbed`() throws {
  var epochs = Course(speed: 10).epochs(200)
  for index in epochs.indices {
    epochs[index].mode = .threeDimensional
    epochs[index].altitude = 400 + (index < 100 ? 0 : 0.8 * Double(index - 100))
    epochs[index].errorStatistics?.altitude = 5
  }
  let own = filtered(epochs)
  for (epoch, fix) in zip(epochs, own) {
    #expect(try abs(#require(fix?.altitude) - #require(epoch.altitude)) < 3)
  }
  #expect(own[90]?.altitude == 400)
  epochs[80].altitude = 700
  #expect(try abs(#require(filtered(epochs)[80]?.altitude) - 400) < 10)
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
  var interrupted = DopplerCalibration()
  for _ in 0..<20 {
    interrupted.add(motion(0.5), weakness: 1, .standard)
    interrupted.add(motion(0.5, after: nil), weakness: 1, .standard)
    interrupted.add(motion(4.6), weakness: 1, .standard)
  }
  #expect(interrupted.scale == 0)
}
