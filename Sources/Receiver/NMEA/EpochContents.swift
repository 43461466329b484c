import Base
import GNSS

/// The data of one epoch, with the priorities of the sentences.
///
/// The position and the fix status come from GGA, or else from GNS, RMC, GLL or `PUBX,00`, in this order. Speed and
/// course come from RMC, or else from VTG or `PUBX,00`. The first sentence of a type is used. The error estimates of
/// `PUBX,00`, `PGRME` and `PQTMEPE` are used only if GST does not contain them.
struct EpochContents: Sendable {
  struct Lead: Sendable {
    let type: SentenceType
    let talker: Talker
    let position: Coordinate
  }

  var types = SentenceSet()
  /// The time of the epoch in nanoseconds since midnight; -1 if no sentence had a time.
  var time: Int64 = -1
  var began = MonotonicInstant(nanoseconds: 0)
  var ended = MonotonicInstant(nanoseconds: 0)
  var groupsUsed = 0
  /// The first sentence with a position.
  var lead: Lead?
  /// Whether the epoch has the time of the epoch before it.
  var isRepetition = false
  /// The first date of the epoch's sentences, and the time of day that belongs to it.
  private(set) var date: UTCDate?
  private(set) var dateTime: TimeOfDay?
  /// Whether the sentence with the date reports a fix; nil if it does not tell.
  private(set) var dateHasFix: Bool?

  private var timeOfDay: TimeOfDay?
  private var clock: TimeOfDay?
  /// The rank of the sentence with the position: 0 for GGA to 4 for `PUBX,00`, and 5 without a position.
  private var positionRank = 5
  private var coordinate: Coordinate?
  private var quality: FixQuality?
  private var altitudeRank = 5
  private var altitude: Double?
  private var geoidSeparation: Double?
  private var satellitesUsed: Int?
  private var horizontalDilution: Double?
  /// Whether the receiver writes that it does not know its accuracy.
  private var deniesAccuracy = false
  private var velocityRank = 5
  private var speed: Double?
  private var course: Double?
  private var mode: FixMode?
  private var dilution: DilutionOfPrecision?
  private var errors: ErrorStatistics?
  private var horizontalAccuracy: Double?
  private var verticalAccuracy: Double?

  var hasFix: Bool { coordinate != nil }
  var hasNavigation: Bool { types.hasNavigation }

  @inline(__always)
  mutating func apply(_ gsa: GSA) {
    if let mode = gsa.mode { self.mode = max(self.mode ?? mode, mode) }
    if dilution == nil, !gsa.dilutionOfPrecision.isUnknown { dilution = gsa.dilutionOfPrecision }
  }

  @inline(__always)
  mutating func apply(_ gga: GGA) {
    if timeOfDay == nil { timeOfDay = gga.time }
    position(gga.fix, gga.quality, rank: 0)
    height(gga.altitude, gga.geoidSeparation, gga.satellitesUsed, gga.horizontalDilution, rank: 0)
    if gga.deniesDilution { deniesAccuracy = true }
  }

  @inline(__always)
  mutating func apply(_ rmc: RMC) {
    if timeOfDay == nil { timeOfDay = rmc.time }
    position(rmc.hasFix ? rmc.coordinate : nil, rmc.hasFix ? rmc.mode?.quality : .invalid, rank: 2)
    velocity(rmc.speed, rmc.course, rank: 0)
    learn(rmc.date, at: rmc.time, hasFix: rmc.hasFix)
  }

  /// Records the date and the motion of another device. The position of the chosen device has no date, if only the other
  /// device sends RMC.
  mutating func applyAside(_ rmc: RMC) {
    if rmc.hasFix { velocity(rmc.speed, rmc.course, rank: 3) }
    learn(rmc.date, at: rmc.time, hasFix: rmc.hasFix)
  }

  /// Records a date. The first date of an epoch is used.
  mutating func learn(_ date: UTCDate?, at time: TimeOfDay?, hasFix: Bool? = nil) {
    guard self.date == nil, let date, let time else { return }
    (self.date, dateTime, dateHasFix) = (date, time, hasFix)
  }

  @inline(__always)
  mutating func apply(_ vtg: VTG) {
    velocity(vtg.speed, vtg.course, rank: 1)
  }

  @inline(__always)
  mutating func apply(_ gll: GLL) {
    if timeOfDay == nil { timeOfDay = gll.time }
    position(gll.hasFix ? gll.coordinate : nil, gll.hasFix ? gll.mode?.quality : .invalid, rank: 3)
  }

  mutating func apply(_ gns: GNS) {
    if timeOfDay == nil { timeOfDay = gns.time }
    position(gns.hasFix ? gns.coordinate : nil, gns.hasFix ? gns.quality : .invalid, rank: 1)
    height(gns.altitude, gns.geoidSeparation, gns.satellitesUsed, gns.horizontalDilution, rank: 1)
    if gns.deniesDilution { deniesAccuracy = true }
  }

  mutating func apply(_ gst: GST) {
    if timeOfDay == nil { timeOfDay = gst.time }
    guard errors == nil, gst.errors != ErrorStatistics() else { return }
    // Every position has an error, so estimated errors of 0 are unknown.
    if gst.errors.latitude == 0 || gst.errors.longitude == 0 { deniesAccuracy = true }
    errors = gst.errors.withoutZeros
  }

  mutating func apply(_ gbs: GBS) {
    if timeOfDay == nil { timeOfDay = gbs.time }
  }

  mutating func apply(_ pubx: PUBXPosition) {
    if timeOfDay == nil { timeOfDay = pubx.time }
    position(pubx.hasFix ? pubx.coordinate : nil, pubx.quality, rank: 4)
    height(nil, nil, pubx.satellitesUsed, pubx.dilutionOfPrecision.horizontal, rank: 4)
    velocity(pubx.speedKilometresPerHour.map { $0 / 3.6 }, pubx.course, rank: 2)
    if dilution == nil, !pubx.dilutionOfPrecision.isUnknown { dilution = pubx.dilutionOfPrecision }
    if pubx.hasFix { estimate(pubx.horizontalAccuracy, pubx.verticalAccuracy) }
  }

  mutating func apply(_ error: PositionError) {
    estimate(error.horizontal, error.vertical)
  }

  /// Records estimated errors. Every position has an error, so an estimated error of 0 is unknown.
  private mutating func estimate(_ horizontal: Double?, _ vertical: Double?) {
    if horizontal == 0 { deniesAccuracy = true }
    if horizontalAccuracy == nil, horizontal != 0 { horizontalAccuracy = horizontal }
    if verticalAccuracy == nil, vertical != 0 { verticalAccuracy = vertical }
  }

  /// Records the time of the receiver's clock. The epoch uses it only if no sentence has the time of a measurement.
  mutating func applyClock(_ time: TimeOfDay?) {
    clock = time
  }

  @inline(__always)
  private mutating func position(_ coordinate: Coordinate?, _ quality: FixQuality?, rank: Int) {
    guard rank < positionRank else { return }
    positionRank = rank
    self.coordinate = coordinate
    self.quality = quality
  }

  @inline(__always)
  private mutating func height(
    _ altitude: Double?, _ separation: Double?, _ satellites: Int?, _ dilution: Double?, rank: Int
  ) {
    guard rank < altitudeRank else { return }
    altitudeRank = rank
    self.altitude = altitude
    geoidSeparation = separation
    satellitesUsed = satellites
    horizontalDilution = dilution
  }

  @inline(__always)
  private mutating func velocity(_ speed: Double?, _ course: Double?, rank: Int) {
    if rank > velocityRank {
      // A sentence with a lower priority can add a missing speed or course.
      self.speed = self.speed ?? speed
      self.course = self.course ?? course
    } else if rank < velocityRank {
      velocityRank = rank
      self.speed = speed ?? self.speed
      self.course = course ?? self.course
    }
  }

  /// Writes the data to an epoch. Without a fix, old values in the sentences are ignored.
  // The function is mutating, so that the compiler reads the fields in place and does not copy the value.
  mutating func write(to epoch: inout Epoch) {
    epoch.began = began
    epoch.ended = ended
    epoch.timeOfDay = timeOfDay ?? clock
    (epoch.repeatsTime, epoch.isTimeUncertain) = (false, false)
    epoch.satellitesUsed = satellitesUsed
    var dilution = self.dilution ?? DilutionOfPrecision()
    dilution.horizontal = horizontalDilution ?? dilution.horizontal
    let hasFix = coordinate != nil && !isPlaceholder(dilution.horizontal)
    epoch.coordinate = hasFix ? coordinate : nil
    epoch.quality = hasFix || coordinate == nil ? quality : .invalid
    epoch.dilutionOfPrecision = hasFix ? dilution : dilution.withoutFix
    epoch.deniesAccuracy = hasFix && deniesAccuracy
    // A fix without an altitude is two-dimensional, even if GSA reports three dimensions.
    let mode: FixMode? = hasFix ? (altitude == nil ? .twoDimensional : self.mode ?? .threeDimensional) : nil
    epoch.mode = mode
    epoch.altitude = mode == .threeDimensional ? altitude : nil
    epoch.geoidSeparation = hasFix ? geoidSeparation : nil
    epoch.speed = hasFix ? speed : nil
    epoch.course = hasFix ? course : nil
    epoch.errorStatistics = hasFix ? errors : nil
    let hasHorizontalErrors = errors?.latitude != nil && errors?.longitude != nil
    epoch.horizontalAccuracy = hasFix && !hasHorizontalErrors ? horizontalAccuracy : nil
    epoch.verticalAccuracy = mode == .threeDimensional && errors?.altitude == nil ? verticalAccuracy : nil
  }
}

extension EpochContents {
  /// The dilution from which a position at the exact origin is a placeholder.
  private static let doubtfulDilution = 50.0

  /// Whether the position was not measured. Converters that have no fix yet write a valid position at 0° N, 0° E, without
  /// satellites or with a bad dilution. Elsewhere the number of satellites proves nothing: some receivers write 0 with a
  /// measured position. (gpsd's logs `furuno_gl_ga`, `hemi` and `foretrex-201`)
  private func isPlaceholder(_ dilution: Double?) -> Bool {
    guard let coordinate, coordinate.latitude == 0, coordinate.longitude == 0 else { return false }
    return satellitesUsed ?? 0 == 0 || dilution ?? Self.doubtfulDilution >= Self.doubtfulDilution
  }
}

extension ErrorStatistics {
  /// The errors without those that are 0. Every position has an error, so an estimated error of 0 is unknown.
  fileprivate var withoutZeros: ErrorStatistics {
    func known(_ error: Double?) -> Double? { error == 0 ? nil : error }
    return ErrorStatistics(
      rangeRMS: known(rangeRMS), semiMajorAxis: known(semiMajorAxis), semiMinorAxis: known(semiMinorAxis),
      orientation: orientation, latitude: known(latitude), longitude: known(longitude), altitude: known(altitude))
  }
}

extension DilutionOfPrecision {
  @inline(__always)
  fileprivate var isUnknown: Bool { position == nil && horizontal == nil && vertical == nil }
}
