package import Clocks
package import GNSS
import Glibc

/// A receiver in the pocket of somebody who walks through Zürich: the pure part of `SimulatedReceiver`.
///
/// A value: the same settings and start give the same bytes. Its errors are those of a real single-frequency receiver:
/// correlated over tens of seconds, as large as the satellites' geometry makes them, with an outlier about every ten
/// minutes, and the figures it reports of them (DOP, GST) are the ones they were drawn from.
package struct ReceiverSimulation: Sendable {
  package struct Settings: Hashable, Sendable {
    package var seed: UInt64
    /// Epochs per second, 1...25.
    package var rate: Int
    /// Whether the receiver knows nothing when it starts: the first fix takes 28 s, with altitude 30 s. Otherwise 1 s
    /// and 2 s.
    package var isCold: Bool
    /// Whether GLL is among the sentences.
    package var sendsGLL: Bool
    /// Whether ZDA is among the sentences.
    package var sendsZDA: Bool

    package init(
      seed: UInt64 = 1, rate: Int = 1, isCold: Bool = false, sendsGLL: Bool = false, sendsZDA: Bool = false
    ) {
      self.seed = seed
      self.rate = rate
      self.isCold = isCold
      self.sendsGLL = sendsGLL
      self.sendsZDA = sendsZDA
    }

    /// Seconds after the start.
    var firstFix: Double { isCold ? 28 : 1 }
    var firstAltitude: Double { isCold ? 30 : 2 }
  }

  /// Where the receiver really was.
  package struct Truth: Hashable, Sendable {
    package var time: UTCTime
    package var coordinate: Coordinate
    /// Metres above mean sea level.
    package var altitude: Double
    /// Metres per second.
    package var speed: Double
    /// Degrees from true north, 0..<360; where the person looks while standing.
    package var course: Double
    /// Nil while the receiver has no fix.
    package var mode: FixMode?
    /// Whether the reported position is off by far more than the receiver says.
    package var isOutlier: Bool
  }

  /// All sentences of one epoch.
  package struct Burst: Sendable {
    package var bytes: [UInt8]
    /// When the burst leaves the receiver, since the start: 50–100 ms after the epoch's instant.
    package var at: Duration
    package var truth: Truth
  }

  package let settings: Settings
  /// When the receiver was switched on; whole hundredths of a second, which is what the sentences can say.
  package let start: UTCTime
  private var index: Int64 = 0
  private var walk: TownWalk
  private var tracking: Tracking
  private var error: ReceiverError
  private var delays: RandomSource
  /// The houses' skyline as the antenna feels it, degrees: it changes within seconds, not at once.
  private var skyline = 10.0

  /// Near the main station.
  private static let plane = LocalPlane(latitude: 47.3769, longitude: 8.5417)
  /// Metres.
  private static let (altitude, geoidSeparation) = (408.0, 47.3)
  /// Standard deviation of a range in the open, metres: with 20 satellites it makes about 1.5 m per axis.
  private static let rangeError = 3.6

  /// - Parameter start: when the receiver is switched on; cut to whole hundredths of a second.
  package init(settings: Settings = Settings(), start: UTCTime) {
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

  /// The next epoch; the first is at the start itself.
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
      // Without an almanac or a position, a receiver cannot tell where a satellite stands.
      knowsSky: !settings.isCold || seconds >= settings.firstFix)
    let place = Self.plane.degrees(east: walk.east, north: walk.north)
    return Burst(
      bytes: report.bytes(sendsGLL: settings.sendsGLL, sendsZDA: settings.sendsZDA),
      at: since + .microseconds(Int64(delays.uniform(50_000...100_000))),
      truth: Truth(
        time: time,
        // The walk stays within a kilometre of Zürich.
        coordinate: Coordinate(latitude: place.latitude, longitude: place.longitude)!, altitude: altitude,
        speed: walk.speed, course: EpochReport.degrees(walk.heading), mode: solution?.mode, isOutlier: isOutlier))
  }

  /// Metres above mean sea level: the town rises gently to the north-east.
  private var altitude: Double { Self.altitude + 0.012 * walk.north + 0.006 * walk.east }

  private func hasTime(after seconds: Double) -> Bool {
    // A battery keeps the clock; without one, a satellite's message brings the time some seconds before the position.
    !settings.isCold || seconds >= 20
  }

  /// How many of the satellites in view the receiver has found.
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

    // Ranges get better for some seconds after the first fix, and worse between houses.
    let settling = 1 + 1.5 * exp(-(seconds - settings.firstFix) / 10)
    let surroundings = 1 + 0.4 * (skyline - 10) / 30
    let range = Self.rangeError * settling * surroundings
    let size = ErrorSize(geometry: geometry, rangeError: range)
    let off = error.next(after: elapsed, size: size, mayStray: seconds > settings.firstAltitude + 20)
    let place = Self.plane.degrees(east: walk.east + off.east, north: walk.north + off.north)
    let (east, north) = (walk.velocityEast + error.velocityError(), walk.velocityNorth + error.velocityError())
    return (
      EpochReport.Solution(
        latitude: place.latitude, longitude: place.longitude,
        altitude: geometry.up == nil ? nil : altitude + off.up, geoidSeparation: Self.geoidSeparation,
        speed: hypot(east, north), course: EpochReport.degrees(atan2(east, north)), geometry: geometry, size: size,
        rangeResidual: 0.4 * range),
      off.isOutlier
    )
  }
}
