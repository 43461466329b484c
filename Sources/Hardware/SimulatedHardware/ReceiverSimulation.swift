package import Base
package import GNSS
import Glibc

/// The simulation of a receiver that a pedestrian carries through Zürich.
///
/// The same settings and the same start time produce the same bytes. The errors are similar to those of a real
/// single-frequency receiver. Errors of successive positions are similar, and errors are proportional to the dilution
/// of precision. An outlier occurs about every ten minutes. The error estimates in the NMEA sentences are the
/// parameters of the simulated errors.
package struct ReceiverSimulation: Sendable {
  package struct Settings: Hashable, Sendable {
    package var seed: UInt64
    /// The count of positions per second, 1...25.
    package var rate: Int
    /// Whether the receiver starts without stored data about the satellites (a cold start). After a cold start, the
    /// first fix takes 28 s, and the first altitude takes 30 s. Otherwise, these times are 1 s and 2 s.
    package var isCold: Bool

    package init(seed: UInt64 = 1, rate: Int = 1, isCold: Bool = false) {
      self.seed = seed
      self.rate = rate
      self.isCold = isCold
    }

    /// The time to the first fix after the start of the receiver, in seconds.
    var firstFix: Double { isCold ? 28 : 1 }
    /// The time to the first altitude after the start of the receiver, in seconds.
    var firstAltitude: Double { isCold ? 30 : 2 }
  }

  /// The true position and motion of the simulated receiver. A test can compare the NMEA sentences with the true
  /// values.
  package struct Truth: Hashable, Sendable {
    package var time: UTCTime
    package var coordinate: Coordinate
    package var altitude: Double
    package var speed: Double
    /// The course in degrees from true north, 0..<360. While the pedestrian stands, the value is the direction in which
    /// the pedestrian looks.
    package var course: Double
    /// The dimension of the fix (two- or three-dimensional); nil without a fix.
    package var mode: FixMode?
    /// Whether the position in the NMEA sentences is an outlier: the error is much larger than the reported estimate.
    package var isOutlier: Bool
  }

  /// The NMEA sentences that the receiver sends for one instant.
  package struct Burst: Sendable {
    package var bytes: [UInt8]
    /// The time from the start of the simulation until the receiver sends the NMEA sentences. A real receiver also
    /// sends 50–100 ms after the measurement.
    package var at: Duration
    package var truth: Truth
  }

  package let settings: Settings
  /// The time at which the receiver was switched on, truncated to 10 ms. NMEA sentences have this resolution of time.
  package let start: UTCTime
  private var index: Int64 = 0
  private var walk: TownWalk
  private var tracking: Tracking
  private var error: ReceiverError
  private var delays: RandomSource
  /// The elevation angle of the houses around the receiver in degrees. The value is smoothed over some seconds, because
  /// signals fade gradually.
  private var skyline = 10.0

  /// The plane in which the simulated pedestrian walks. Its origin is near the main station of Zürich.
  private static let plane = LocalPlane(latitude: 47.3769, longitude: 8.5417)
  /// The altitude above mean sea level and the height of the geoid above the ellipsoid at the start of the simulated
  /// walk, both in metres.
  private static let (altitude, geoidSeparation) = (408.0, 47.3)
  /// The standard deviation of the simulated range error under open sky, in metres. (A range is the distance from a
  /// satellite to the receiver.) With 20 satellites, the position error is about 1.5 m per axis.
  private static let rangeError = 3.6

  package init(settings: Settings, start: UTCTime) {
    precondition((1...25).contains(settings.rate), "a receiver has 1...25 epochs per second")
    self.settings = settings
    let nanoseconds = start.nanosecondsSince1970
    self.start = UTCTime(nanosecondsSince1970: nanoseconds - nanoseconds % 10_000_000)
    walk = TownWalk(seed: settings.seed)
    tracking = Tracking(
      seed: settings.seed, sky: Sky(latitude: Self.plane.latitude, longitude: Self.plane.longitude),
      start: Double(nanoseconds) / 1e9)
    error = ReceiverError(seed: settings.seed)
    delays = RandomSource(seed: settings.seed, stream: 4)
  }

  /// Returns the simulated data for the next instant. The first instant is the start of the simulation.
  package mutating func next() -> Burst {
    let period = 1 / Double(settings.rate)
    let since = Duration.nanoseconds(index * 1_000_000_000 / Int64(settings.rate))
    let seconds = Double(index) * period
    if index > 0 { walk.advance(by: period) }
    skyline += (walk.skyline - skyline) * (1 - exp(-period / 4))
    index += 1

    let time = UTCTime(nanosecondsSince1970: start.nanosecondsSince1970 + since.clampedNanoseconds)
    let satellites = tracking.satellites(
      at: Double(time.nanosecondsSince1970) / 1e9, elapsed: period, found: found(after: seconds),
      heading: walk.heading, skyline: skyline)
    let (solution, isOutlier) = solve(satellites, after: seconds, elapsed: period)
    let report = EpochReport(
      time: hasTime(after: seconds) ? time : nil, solution: solution, satellites: satellites,
      // Without an almanac or a position, a receiver cannot compute the satellites' directions.
      knowsSky: !settings.isCold || seconds >= settings.firstFix)
    let position = Self.plane.degrees(east: walk.east, north: walk.north)
    return Burst(
      bytes: report.bytes,
      at: since + .microseconds(Int64(delays.uniform(50_000...100_000))),
      truth: Truth(
        time: time,
        // The walk stays within a kilometre of the origin, so the coordinate is valid.
        coordinate: Coordinate(latitude: position.latitude, longitude: position.longitude)!, altitude: altitude,
        speed: walk.speed, course: EpochReport.degrees(walk.heading), mode: solution?.mode, isOutlier: isOutlier))
  }

  /// The true altitude of the pedestrian above mean sea level in metres. The town rises slightly to the north-east.
  private var altitude: Double { Self.altitude + 0.012 * walk.north + 0.006 * walk.east }

  private func hasTime(after seconds: Double) -> Bool {
    // A backup battery keeps the time for a warm start. After a cold start, the receiver decodes the time from a
    // satellite.
    !settings.isCold || seconds >= 20
  }

  /// Returns the count of satellites that the receiver has acquired by a time after its start.
  ///
  /// - Parameter seconds: the time in seconds.
  private func found(after seconds: Double) -> Int {
    if seconds < settings.firstFix { return settings.isCold ? Int(seconds / 8) : 0 }
    if seconds < settings.firstAltitude { return 5 }
    return 8 + Int((seconds - settings.firstAltitude) * 2)
  }

  private mutating func solve(
    _ satellites: [TrackedSatellite], after seconds: Double, elapsed: Double
  ) -> (EpochReport.Solution?, isOutlier: Bool) {
    guard seconds >= settings.firstFix else { return (nil, false) }
    let used = satellites.filter(\.isUsed).map(\.position)
    let geometry =
      (seconds >= settings.firstAltitude ? Geometry(of: used, withAltitude: true) : nil)
      ?? Geometry(of: used, withAltitude: false)
    guard let geometry else { return (nil, false) }

    // The range error decreases for some seconds after the first fix, and increases between houses.
    let settling = 1 + 1.5 * exp(-(seconds - settings.firstFix) / 10)
    let surroundings = 1 + 0.4 * (skyline - 10) / 30
    let range = Self.rangeError * settling * surroundings
    let size = ErrorSize(geometry: geometry, rangeError: range)
    let off = error.next(after: elapsed, size: size, mayStray: seconds > settings.firstAltitude + 20)
    let position = Self.plane.degrees(east: walk.east + off.east, north: walk.north + off.north)
    let (east, north) = (walk.velocityEast + error.velocityError(), walk.velocityNorth + error.velocityError())
    return (
      EpochReport.Solution(
        latitude: position.latitude, longitude: position.longitude,
        altitude: geometry.up == nil ? nil : altitude + off.up, geoidSeparation: Self.geoidSeparation,
        speed: hypot(east, north), course: EpochReport.degrees(atan2(east, north)), geometry: geometry, size: size,
        rangeResidual: 0.4 * range),
      off.isOutlier
    )
  }
}
