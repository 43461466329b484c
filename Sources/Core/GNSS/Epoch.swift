public import Base

/// The count of dimensions of a position: two, or three with an altitude.
public enum FixMode: Int, Hashable, Sendable, Comparable {
  /// The position has a latitude and a longitude.
  case twoDimensional = 2
  /// The position has a latitude, a longitude and an altitude.
  case threeDimensional = 3

  public static func < (left: FixMode, right: FixMode) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The method by which the receiver computed a position. The raw values are those of field 6 (quality indicator) of the
/// NMEA 0183 sentence GGA. The mode indicators of other sentences are converted to these values.
public enum FixQuality: Int, Hashable, Sendable {
  /// The receiver has no fix.
  case invalid = 0
  /// A position from satellites alone, without corrections.
  case autonomous = 1
  /// A position with corrections from a ground station or from augmentation satellites.
  case differential = 2
  /// A position from the military precise positioning service.
  case precise = 3
  /// A position from carrier phases (RTK) with ambiguities resolved to integers.
  case rtkFixed = 4
  /// A position from carrier phases (RTK) with unresolved ambiguities.
  case rtkFloat = 5
  /// A position by dead reckoning, from earlier positions and the movement since then.
  case estimated = 6
  /// A position that a user entered.
  case manual = 7
  /// A simulated position.
  case simulator = 8

  /// Whether the receiver measured the position. A position that the receiver estimated, simulated or received as a
  /// setting is not measured.
  public var isMeasured: Bool {
    switch self {
    case .invalid, .estimated, .manual, .simulator: false
    case .autonomous, .differential, .precise, .rtkFixed, .rtkFloat: true
    }
  }
}

/// The dilutions of precision: factors by which the satellite geometry increases the position error. A lower value is
/// better.
///
/// A dilution is nil if the receiver writes 0.00, which means unknown. Without a fix, a value of 99 or more also means
/// unknown. With a fix, such a value is a bad dilution.
public struct DilutionOfPrecision: Hashable, Sendable {
  /// The dilution of latitude and longitude (HDOP); nil if unknown.
  public var horizontal: Double?
  /// The dilution of the altitude (VDOP); nil if unknown.
  public var vertical: Double?
  /// The dilution of the position in three dimensions (PDOP); nil if unknown.
  public var position: Double?

  /// Creates dilutions of precision. An omitted dilution is unknown.
  public init(horizontal: Double? = nil, vertical: Double? = nil, position: Double? = nil) {
    self.horizontal = horizontal
    self.vertical = vertical
    self.position = position
  }

  /// A copy of the dilutions for an epoch without a fix, in which values of 99 or more are replaced by nil.
  package var withoutFix: DilutionOfPrecision {
    func known(_ dilution: Double?) -> Double? { dilution.flatMap { $0 < 99 ? $0 : nil } }
    return DilutionOfPrecision(horizontal: known(horizontal), vertical: known(vertical), position: known(position))
  }
}

/// The receiver's estimates of its position error, one standard deviation for each direction, in metres (NMEA 0183
/// GST).
public struct ErrorStatistics: Hashable, Sendable {
  /// The standard deviation of the latitude in metres; nil if unknown.
  public var latitude: Double?
  /// The standard deviation of the longitude in metres; nil if unknown.
  public var longitude: Double?
  /// The standard deviation of the altitude in metres; nil if unknown.
  public var altitude: Double?

  /// Creates error statistics from standard deviations in metres. An omitted value is unknown.
  public init(latitude: Double? = nil, longitude: Double? = nil, altitude: Double? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}

extension UTCDate {
  /// Whether a measurement on this date is plausible. A receiver that does not know the date sends a day near the start
  /// of GPS time, 1980-01-06. With two digits of the year, such a day can look like 2080, so 2079 is the last plausible
  /// year.
  package var isPlausible: Bool {
    guard (1980...2079).contains(year) else { return false }
    return year > 1980 || month > 1 || day > 7
  }
}

/// An epoch of a GNSS receiver: all data that the receiver measured at one instant. Nil means unknown; missing data is
/// never 0.
public struct Epoch: Hashable, Sendable {
  /// The date of the measurement; nil if the receiver sends no date.
  public var date: UTCDate?
  /// The time of day of the measurement; nil if the receiver sends no time.
  public var timeOfDay: TimeOfDay?
  /// The count of days that were added to `date`, because the receiver sent a date too far in the past. The count is a
  /// multiple of 1024 weeks (GPS week rollover), or 0.
  package var addedDays = 0
  /// Whether `date` was corrected because the receiver sent a date too far in the past.
  public var isDateCorrected: Bool { addedDays > 0 }
  /// Whether the receiver reports that its time may be wrong by some seconds, for example because the count of leap
  /// seconds is unknown. NMEA sentences contain no such report.
  public var isTimeUncertain = false
  /// Whether the receiver sent a new position with the time of an earlier epoch. `timeOfDay` is then corrected by the
  /// time that has passed since that epoch.
  package var repeatsTime = false
  /// Whether the time of the epoch is before the time of the previous epoch. Such an epoch begins a new sequence of
  /// positions.
  public var startsSequence = false

  /// The position of the antenna; nil without a valid fix.
  public var coordinate: Coordinate?
  /// The count of dimensions of the position; nil without a valid fix.
  public var mode: FixMode?
  /// The method by which the receiver computed the position; nil if the receiver does not report the method.
  public var quality: FixQuality?
  /// The altitude of the antenna above mean sea level in metres; nil if unknown.
  public var altitude: Double?
  /// The height of the geoid (mean sea level) above the WGS 84 ellipsoid in metres; nil if unknown.
  public var geoidSeparation: Double?
  /// The speed over ground in metres per second; nil if unknown.
  public var speed: Double?
  /// The course over ground in degrees from true north, 0..<360; nil if unknown.
  public var course: Double?

  /// The count of satellites from which the position was computed; nil if the receiver does not report this count.
  public var satellitesUsed: Int?
  /// The dilutions of precision (effects of the satellite geometry), dimensionless; nil for a dilution that the
  /// receiver does not report.
  public var dilutionOfPrecision = DilutionOfPrecision()
  /// The receiver's estimates of the position error (NMEA 0183 GST); nil if the receiver sends none.
  public var errorStatistics: ErrorStatistics?

  /// The receiver's own estimate of the horizontal error in metres, from UBX NAV-PVT or `PUBX,00`; nil if unknown. A
  /// GST sentence has priority over `PUBX,00`.
  ///
  /// The value is the distance root mean square: √(latitude error² + longitude error²). A circle with this radius
  /// contains 63 % (equal axes) to 68 % (all error on one axis) of the positions. u-blox does not document this
  /// definition. The definition follows from a comparison with the GST sentences of the same receiver (u-blox forum
  /// 24428).
  public var horizontalAccuracy: Double?
  /// The receiver's own estimate of the vertical error in metres, one standard deviation (68 %); nil if unknown.
  public var verticalAccuracy: Double?
  /// The receiver's own estimate of the error of the speed in metres per second, one standard deviation (68 %); nil if
  /// unknown.
  public var speedAccuracy: Double?
  /// The receiver's own estimate of the error of the course in degrees, one standard deviation (68 %); nil if unknown.
  public var courseAccuracy: Double?
  /// Whether the receiver reports an unknown horizontal error, for example as an error or a dilution of 0.
  public var deniesAccuracy = false
  /// The position error in metres from a datum other than WGS 84, with a probability of 68 %; nil if the receiver uses
  /// WGS 84 (NMEA 0183 DTM).
  public var datumUncertainty: Double?

  /// The satellites in view at the time of the measurement. A satellite with several signals has one element for each
  /// signal.
  public var satellites: [Satellite] = []

  /// The arrival time of the first byte of the epoch (the data of one measurement).
  public var began: MonotonicInstant
  /// The arrival time of the last byte of the epoch (the data of one measurement).
  public var ended: MonotonicInstant

  /// Creates an epoch (the data of one measurement) without data.
  ///
  /// - Parameters:
  ///   - began: The arrival time of the first byte.
  ///   - ended: The arrival time of the last byte.
  public init(began: MonotonicInstant, ended: MonotonicInstant) {
    self.began = began
    self.ended = ended
  }

  /// The time of the measurement; nil if the date or the time of day is unknown.
  public var time: UTCTime? {
    guard let date, let timeOfDay else { return nil }
    return UTCTime(date: date, timeOfDay: timeOfDay)
  }
}
