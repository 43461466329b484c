public import Clocks

/// Where the antenna was at one instant, with honest figures of how well that is known. SI units, UTC, WGS 84.
public struct Fix: Hashable, Sendable {
  /// When the position was measured, or for which moment it was reckoned (`isCoasted`); nil from receivers that send no
  /// date.
  public var time: UTCTime?
  /// When the measurement reached this machine: what freshness is judged by.
  public var arrived: MonotonicInstant
  /// Where the antenna was.
  public var coordinate: Coordinate
  /// Radius in metres of the circle that holds the true position with 68 % probability.
  public var horizontalAccuracy: Double
  /// Metres above mean sea level. Nil unless the fix is three-dimensional.
  public var altitude: Double?
  /// Half-width in metres of the interval that holds the true altitude with 68 % probability.
  public var verticalAccuracy: Double?
  /// Height of the geoid above the ellipsoid, in metres.
  public var geoidSeparation: Double?
  /// Metres per second over ground.
  public var speed: Double?
  /// 68 % half-width, metres per second.
  public var speedAccuracy: Double?
  /// Degrees from true north, 0..<360.
  public var course: Double?
  /// 68 % half-width, degrees.
  public var courseAccuracy: Double?
  /// Whether it has an altitude.
  public var mode: FixMode
  /// How it was made; nil where the receiver does not say.
  public var quality: FixQuality?
  /// Satellites in the solution; nil where the receiver does not say.
  public var satellitesUsed: Int?
  /// As the receiver says it, dimensionless.
  public var dilutionOfPrecision: DilutionOfPrecision
  /// Whether nothing was measured at that time: the position was reckoned from the fixes before. `arrived` is then the
  /// last measurement's.
  public var isCoasted = false

  /// What every fix has; what else is known is set afterwards.
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
