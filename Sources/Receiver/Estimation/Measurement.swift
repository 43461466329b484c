import GNSS

/// The input of the filter: the position of an epoch, its time, its velocity and its errors. All numbers are finite,
/// even for hostile input.
struct Measurement: Hashable, Sendable {
  /// Maximum plausible speed, m/s: faster than any vehicle on earth or in orbit around it.
  private static let fastest = 12_000.0

  let moment: Moment
  let coordinate: Coordinate
  /// Standard deviation of the position along one axis, as the receiver reports it, metres; at least a centimetre.
  let deviation: Double
  /// Doppler speed, m/s; nil if the receiver reports no speed.
  let speed: Double?
  /// Course, degrees from true north; nil if the receiver reports no course.
  let course: Double?
  /// Standard deviation of the velocity, m/s; nil if the receiver reports no value.
  let velocityDeviation: Double?
  let satellites: Int?

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
    satellites = epoch.satellitesUsed
  }

  /// Speed below which a velocity without a course counts as 0, m/s. Receivers omit the course at rest.
  private static let noCourse = 0.5

  /// Returns the velocity over ground as a vector of a plane, m/s, or nil if the receiver does not report it.
  func velocity(in plane: Plane) -> Offset? {
    guard let speed else { return nil }
    if let course { return plane.velocity(speed: speed, course: course, at: coordinate) }
    return speed < Self.noCourse ? .zero : nil
  }
}
