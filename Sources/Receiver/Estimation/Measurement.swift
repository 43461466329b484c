import GNSS

/// The input of the filter for one epoch: the position, the time, the velocity, and the errors of position and
/// velocity. All numbers are finite, even for hostile input.
struct Measurement: Hashable, Sendable {
  /// The maximum plausible speed in m/s. This speed is higher than that of any vehicle on earth or in an orbit around
  /// the earth.
  private static let fastest = 12_000.0

  let moment: Moment
  let coordinate: Coordinate
  /// The standard deviation of the position along one axis in metres, at least a centimetre: the receiver's own
  /// estimate, or `AccuracyModel.horizontalDeviation` with a bias if the receiver does not estimate its errors.
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

  /// A limit for the speed in m/s. If the receiver reports no course and a speed below this limit, the velocity counts
  /// as 0. Receivers at rest omit the course.
  private static let noCourse = 0.6

  /// Returns the velocity over ground in m/s as a vector of the given plane. Returns nil if the receiver reports no
  /// speed, or reports no course at a speed of `noCourse` or more.
  func velocity(in plane: Plane) -> Offset? {
    guard let speed else { return nil }
    if let course { return plane.velocity(speed: speed, course: course, at: coordinate) }
    return speed < Self.noCourse ? .zero : nil
  }
}
