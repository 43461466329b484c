import GNSS

/// The values of one receiver epoch (all data of one instant) for the position filter: position, time, velocity and
/// their errors. All numbers are finite.
struct Measurement: Hashable, Sendable {
  /// The maximum plausible speed in m/s. Even a satellite in an orbit around the earth is slower.
  private static let fastest = 12_000.0

  let moment: Moment
  let coordinate: Coordinate
  /// The standard deviation of the position in metres, along one axis, at least 0.01. If the receiver does not estimate
  /// its error, the value comes from `AccuracyModel.horizontalDeviation`.
  let deviation: Double
  /// The speed over ground in m/s; nil if the receiver reports no plausible speed.
  let speed: Double?
  /// The course in degrees from true north; nil if the receiver reports no course.
  let course: Double?
  /// The standard deviation of the velocity in m/s; 0 if the receiver reports no standard deviation.
  let velocityDeviation: Double

  /// Creates a measurement from an epoch (all data of one instant); nil without a position.
  init?(_ epoch: Epoch) {
    guard let coordinate = epoch.coordinate else { return nil }
    self.coordinate = coordinate
    moment = Moment(epoch)
    deviation = min(max(AccuracyModel.horizontalDeviation(of: epoch), 0.01), 1e6)
    let speed = epoch.speed.flatMap { (0...Self.fastest).contains($0) ? $0 : nil }
    self.speed = speed
    course = epoch.course.flatMap { (-360...720).contains($0) ? $0 : nil }
    // The maximum of 0 and a NaN is 0.
    velocityDeviation = min(.maximum(0, epoch.speedAccuracy ?? 0), Self.fastest)
  }

  /// The speed in m/s below which a velocity without a course is taken as 0. Receivers at rest omit the course.
  private static let noCourse = 0.6

  /// Returns the velocity over ground as a vector of a plane in m/s. Returns nil if the speed or the course is unknown.
  func velocity(in plane: Plane) -> Offset? {
    guard let speed else { return nil }
    if let course { return plane.velocity(speed: speed, course: course, at: coordinate) }
    return speed < Self.noCourse ? .zero : nil
  }
}
