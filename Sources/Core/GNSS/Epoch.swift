public import Clocks

/// How many dimensions a position has.
public enum FixMode: Int, Hashable, Sendable, Comparable {
  /// Latitude and longitude alone.
  case twoDimensional = 2
  /// With an altitude.
  case threeDimensional = 3

  public static func < (left: FixMode, right: FixMode) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// How a position was made. (NMEA 0183 GGA field 6, with the mode indicators of RMC, GLL, VTG and GNS mapped to it.)
public enum FixQuality: Int, Hashable, Sendable {
  /// There is no fix.
  case invalid = 0
  /// From satellites alone.
  case autonomous = 1
  /// With corrections of a station or of augmentation satellites.
  case differential = 2
  /// Military precise positioning service.
  case precise = 3
  /// From carrier phases whose ambiguities are integers.
  case rtkFixed = 4
  /// From carrier phases whose ambiguities are not yet integers.
  case rtkFloat = 5
  /// Dead reckoning: estimated, not measured.
  case estimated = 6
  /// Typed in by a person.
  case manual = 7
  /// Made up.
  case simulator = 8
}

/// How well the satellites' geometry determines a position: dimensionless, lower is better. Nil where unknown
/// (receivers write 0.00, 99.00 and 99.99 for that).
public struct DilutionOfPrecision: Hashable, Sendable {
  /// Of latitude and longitude (HDOP).
  public var horizontal: Double?
  /// Of the altitude (VDOP).
  public var vertical: Double?
  /// Of all three (PDOP).
  public var position: Double?

  /// Unknown, but for what is given.
  public init(horizontal: Double? = nil, vertical: Double? = nil, position: Double? = nil) {
    self.horizontal = horizontal
    self.vertical = vertical
    self.position = position
  }
}

/// What the receiver itself says of its errors: one standard deviation each, in metres. (NMEA 0183 GST)
public struct ErrorStatistics: Hashable, Sendable {
  /// Root mean square of the pseudorange residuals.
  public var rangeRMS: Double?
  /// Of the ellipse of errors.
  public var semiMajorAxis: Double?
  /// Of the ellipse of errors.
  public var semiMinorAxis: Double?
  /// Degrees from true north.
  public var orientation: Double?
  /// To the north.
  public var latitude: Double?
  /// To the east.
  public var longitude: Double?
  /// Upwards.
  public var altitude: Double?

  /// Unknown, but for what is given.
  public init(
    rangeRMS: Double? = nil, semiMajorAxis: Double? = nil, semiMinorAxis: Double? = nil, orientation: Double? = nil,
    latitude: Double? = nil, longitude: Double? = nil, altitude: Double? = nil
  ) {
    self.rangeRMS = rangeRMS
    self.semiMajorAxis = semiMajorAxis
    self.semiMinorAxis = semiMinorAxis
    self.orientation = orientation
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}

/// Everything that a receiver said about one instant.
///
/// Nil is unknown: what the receiver did not say is never 0. An epoch without a position is a receiver that has no fix.
public struct Epoch: Hashable, Sendable {
  /// Day of the measurement; nil from receivers that send no date.
  public var date: UTCDate?
  /// Time of the measurement.
  public var timeOfDay: TimeOfDay?
  /// Whether `date` was moved by a multiple of 1024 weeks, since the receiver's own is older than it can be (GPS week
  /// rollover).
  public var isDateCorrected = false
  /// Whether time went back since the epoch before: what was known of the track before is of another sequence.
  public var startsSequence = false

  /// Nil while the receiver has no valid fix.
  public var coordinate: Coordinate?
  /// Nil without a valid fix.
  public var mode: FixMode?
  /// How the position was made; nil where the receiver does not say.
  public var quality: FixQuality?
  /// Height of the antenna above mean sea level, in metres.
  public var altitude: Double?
  /// Height of mean sea level (geoid) above the WGS 84 ellipsoid, in metres.
  public var geoidSeparation: Double?
  /// Speed over ground, metres per second.
  public var speed: Double?
  /// Course over ground, degrees from true north, 0..<360.
  public var course: Double?

  /// Satellites used in the solution, as counted by the receiver.
  public var satellitesUsed: Int?
  /// Unknown where the receiver does not say.
  public var dilutionOfPrecision = DilutionOfPrecision()
  /// Nil where the receiver does not say.
  public var errorStatistics: ErrorStatistics?

  /// What the receiver itself estimates of its errors, from receivers that say it with the solution (UBX NAV-PVT, or
  /// `PUBX,00` where no GST tells it).
  ///
  /// Distance root mean square, metres: the square root of both horizontal axes' variances. A circle of that radius
  /// holds 63 % (axes alike) to 68 % (all error on one axis). u-blox does not say so in its manuals; measured against
  /// its own GST it is √(latitude² + longitude²). (u-blox forum 24428)
  public var horizontalAccuracy: Double?
  /// One standard deviation (68 %), metres.
  public var verticalAccuracy: Double?
  /// One standard deviation (68 %), metres per second.
  public var speedAccuracy: Double?
  /// One standard deviation (68 %), degrees.
  public var courseAccuracy: Double?
  /// How far the coordinate may be off since it is on another datum than WGS 84, whose shift is not known: metres
  /// (68 %). Nil on WGS 84, as nearly always. (NMEA 0183 DTM)
  public var datumUncertainty: Double?

  /// Satellites in view as of this epoch: one element for each satellite and signal.
  public var satellites: [Satellite] = []

  /// When the epoch's first byte arrived.
  public var began: MonotonicInstant
  /// When its last byte arrived.
  public var ended: MonotonicInstant

  /// An epoch of which nothing is known but when its bytes came.
  public init(began: MonotonicInstant, ended: MonotonicInstant) {
    self.began = began
    self.ended = ended
  }

  /// Nil where the date or the time is unknown.
  public var time: UTCTime? {
    guard let date, let timeOfDay else { return nil }
    return UTCTime(date: date, timeOfDay: timeOfDay)
  }
}
