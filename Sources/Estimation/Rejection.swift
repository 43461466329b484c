import GNSS

/// Positions that were rejected in a row: a receiver that insists is right.
struct Rejection: Hashable, Sendable {
  private var last: Coordinate
  /// Seconds since the first of all.
  private(set) var lasted = 0.0
  /// How many of the latest agree with each other, and over how many seconds.
  private(set) var agreeing = 1
  private(set) var agreed = 0.0

  init(_ coordinate: Coordinate) { last = coordinate }

  /// - Parameter velocity: of the track, m/s.
  mutating func add(
    _ coordinate: Coordinate, velocity: Offset, in plane: Plane, after seconds: Double, _ parameters: FilterParameters
  ) {
    lasted += seconds
    let place = Plane(at: last).offset(of: coordinate)
    let away = (place - plane.turned(velocity, to: Plane(at: last)) * seconds).length
    if away <= parameters.agreement + 0.2 * velocity.length * seconds {
      agreeing += 1
      agreed += seconds
    } else {
      (agreeing, agreed) = (1, 0)
    }
    last = coordinate
  }
}
