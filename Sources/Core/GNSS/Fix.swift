public import Base

/// The position of the antenna at one instant, with error estimates. All values are in SI units, in UTC and on WGS 84.
public struct Fix: Hashable, Sendable {
  /// The time of the measurement, or of the extrapolated position if `isCoasted` is true; nil if the receiver sends no
  /// date.
  public var time: UTCTime?
  /// The instant at which the measurement arrived from the receiver. The age of the fix is the time since this instant.
  public var arrived: MonotonicInstant
  /// The latitude and the longitude of the antenna.
  public var coordinate: Coordinate
  /// The horizontal accuracy in metres: a circle with this radius contains the true position with a probability of
  /// 68 %.
  public var horizontalAccuracy: Double
  /// The altitude in metres above mean sea level; nil if the fix is two-dimensional.
  public var altitude: Double?
  /// The vertical accuracy in metres; nil if unknown. The error of `altitude` is at most this value with a probability
  /// of 68 %.
  public var verticalAccuracy: Double?
  /// The height of the geoid (mean sea level) above the WGS 84 ellipsoid in metres; nil if unknown.
  public var geoidSeparation: Double?
  /// The speed over ground in metres per second; nil if unknown.
  public var speed: Double?
  /// The accuracy of the speed in metres per second; nil if unknown. The error is at most this value with a probability
  /// of 68 %.
  public var speedAccuracy: Double?
  /// The course over ground in degrees from true north, 0..<360; nil if unknown.
  public var course: Double?
  /// The accuracy of the course in degrees; nil if unknown. The error is at most this value with a probability of 68 %.
  public var courseAccuracy: Double?
  /// The count of dimensions of the position: two, or three with an altitude.
  public var mode: FixMode
  /// The method by which the receiver computed the position; nil if the receiver does not report the method.
  public var quality: FixQuality?
  /// The count of satellites from which the position was computed; nil if the receiver does not report this count.
  public var satellitesUsed: Int?
  /// The receiver's dilutions of precision (effects of the satellite geometry), dimensionless.
  public var dilutionOfPrecision: DilutionOfPrecision
  /// Whether the position is extrapolated from earlier fixes. If true, `arrived` is the arrival time of the latest
  /// measurement.
  public var isCoasted = false
  /// The reason why the position may be false, for example false satellite signals; nil if there is no such reason.
  public var suspicion: SignalSuspicion?

  /// Creates a fix from the values that every fix has. All other values are nil or false.
  public init(
    time: UTCTime?, arrived: MonotonicInstant, coordinate: Coordinate, horizontalAccuracy: Double, mode: FixMode,
    dilutionOfPrecision: DilutionOfPrecision = DilutionOfPrecision()
  ) {
    self.time = time
    self.arrived = arrived
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.mode = mode
    self.dilutionOfPrecision = dilutionOfPrecision
  }
}
