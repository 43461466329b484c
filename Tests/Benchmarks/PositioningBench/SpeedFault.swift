import GNSS

/// A fault of the speed and course that a receiver sends with correct positions.
enum SpeedFault: String, CaseIterable {
  case none = "correct"
  case missing = "no speed"
  case courseless = "no course"
  /// East and north are swapped.
  case mirrored = "mirrored course"
  case reversed = "reversed course"
  /// The course keeps its first value.
  case frozen = "frozen course"
  case wrongUnit = "km/h for knots"
  case zero = "stuck at 0"
  case long = "5 % too long"
  case late = "one epoch late"

  func applied(to track: [TrackPoint]) -> [TrackPoint] {
    guard self != .none else { return track }
    var first: Double?
    var previous: (speed: Double?, course: Double?)?
    return track.map { point in
      var point = point
      guard let speed = point.epoch.speed else { return point }
      let course = point.epoch.course
      if speed > 2, first == nil { first = course }
      switch self {
      case .none: break
      case .missing: (point.epoch.speed, point.epoch.course) = (nil, nil)
      case .courseless: point.epoch.course = nil
      case .mirrored: point.epoch.course = course.map { $0 <= 90 ? 90 - $0 : 450 - $0 }
      case .reversed: point.epoch.course = course.map { $0 < 180 ? $0 + 180 : $0 - 180 }
      case .frozen: point.epoch.course = course.map { first ?? $0 }
      case .wrongUnit: point.epoch.speed = speed * 1.852
      case .zero: (point.epoch.speed, point.epoch.course) = (0, nil)
      case .long: point.epoch.speed = speed * 1.05
      case .late: if let previous { (point.epoch.speed, point.epoch.course) = previous }
      }
      previous = (speed, course)
      return point
    }
  }
}
