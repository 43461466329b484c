import GNSS

/// The input of the filter for one epoch: the position, the time, the velocity, and the errors of position and
/// velocity. All numbers are finite, even for hostile input.
struct Measurement: Hashable, Sendable {
  /// The maximum plausible speed in m/s. This speed is higher than that of any vehicle on earth or in an orbit around
  /// the earth.
  private static let fastest = 12_000.0

  let moment: Moment
  let coordinate: Coordinate
  /// The standard deviation of the position along one axis in metres, as the receiver reports it; at least a
  /// centimetre.
  let deviation: Double
  /// The Doppler speed in m/s; nil if the receiver reports no speed.
  let speed: Double?
  /// The course in degrees from true north; nil if the receiver reports no course.
  let course: Double?
  /// The standard deviation of the velocity in m/s; nil if the receiver reports no value.
  let velocityDeviation: Double?

  /// Creates the measurement of an epoch. Returns nil if the epoch has no position.
  init?(_ epoch: Epoch) {
    guard let coordinate = epoch.coordinate else { return nil }
    self.coordinate = coordinate
    moment = Moment(epoch)
    deviation = min(max(AccuracyModel.horizontalDeviation(of: epoch), 0.01), 1e6)
    let speed = epoch.speed.flatMap { (0...Self.fastest).contains($0) ? $0 : nil }
    self.speed = speed
    course = epoch.course.flatMap { (-360...720).contains($0) ? $0 : nil }
    velocityDeviation = epoch.speedAccuracy.flatMap { $0 >= 0 ? min($0, Self.fastest) : nil }
  }

  /// A speed in m/s. If a velocity has no course and its speed is lower than this speed, the velocity counts as 0.
  /// Receivers omit the course while they are at rest.
  private static let noCourse = 0.6

  /// Returns the velocity over ground in m/s as a vector of the given plane. Returns nil if the receiver does not
  /// report the velocity.
  func velocity(in plane: Plane) -> Offset? {
    guard let speed else { return nil }
    if let course { return plane.velocity(speed: speed, course: course, at: coordinate) }
    return speed < Self.noCourse ? .zero : nil
  }
}
