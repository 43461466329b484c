import GNSS

/// What the filter takes from an epoch that has a position: nothing in it is NaN or infinite, whatever the stream said.
struct Measurement: Hashable, Sendable {
  /// Faster than anything on earth or in orbit around it, m/s: said by nobody in earnest.
  private static let fastest = 12_000.0

  let moment: Moment
  let coordinate: Coordinate
  /// Standard deviation of one axis as the receiver tells it, metres; not below a centimetre.
  let deviation: Double
  /// Doppler speed, m/s.
  let speed: Double?
  /// Degrees from true north.
  let course: Double?
  /// Standard deviation of the velocity, m/s, where the receiver tells it.
  let velocityDeviation: Double?
  let satellites: Int?

  /// Nil without a position.
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

  /// Receivers leave the course away at rest.
  private static let noCourse = 0.5

  /// The velocity over ground as a plane sees it; nil where the receiver says nothing of it.
  func velocity(in plane: Plane) -> Offset? {
    guard let speed else { return nil }
    if let course { return plane.velocity(speed: speed, course: course, at: coordinate) }
    return speed < Self.noCourse ? .zero : nil
  }
}
