import GNSS
import Glibc

/// A contradiction or a gap in a receiver's data. The raw value is the word for the owner of the gateway.
package enum ReceiverDefect: String, Hashable, Sendable {
  case noSpeed = "no-speed"
  /// The receiver sends the same position again and again although it moves.
  case repeatedPositions = "repeated-positions"
  /// The reported speed does not agree with the change of the position.
  case wrongSpeed = "wrong-speed"
  /// The reported course does not agree with the change of the position.
  case wrongCourse = "wrong-course"
}

/// A check of whether a receiver's speed and course agree with the change of its positions.
///
/// The check compares each measurement with the previous one, and sums over hundreds of measurements, so that single
/// errors have no effect. The check uses only measurements at high speed.
struct ConsistencyCheck: Sendable {
  private struct Point {
    var coordinate: Coordinate
    var speed: Double?
    var course: Double?
    var nanoseconds: Double
  }

  /// The minimum count of measurements for a result.
  private static let needed = 60.0
  /// The count of measurements after which the check halves all sums, so that new measurements have more weight than
  /// old ones.
  private static let most = 240.0
  /// The minimum speed in m/s at which the check compares two measurements. At a lower speed, the errors of the
  /// positions are too large.
  private static let leastSpeed = 5.0
  private static let longestGap = 2.5

  private var last: Point?
  private var epochs = 0.0
  private var speeds = 0.0
  private var pairs = 0.0
  private var repeats = 0.0
  /// The sums of the distances in metres, computed from the positions (`way`) and from the speed (`reported`).
  private var (way, reported) = (0.0, 0.0)
  private var courses = 0.0
  /// The sum of the cosines of the angles between the reported course and the direction of the displacement. Each
  /// cosine is near 1 if the course is correct.
  private var agreement = 0.0

  /// The contradictions and gaps in the receiver's data. A defect that has ended disappears after hundreds of
  /// measurements.
  var defects: Set<ReceiverDefect> {
    var defects: Set<ReceiverDefect> = []
    if epochs >= Self.needed, speeds < 0.05 * epochs { defects.insert(.noSpeed) }
    guard pairs >= Self.needed else { return defects }
    if repeats > 0.2 * pairs {
      // With repeated positions, neither the speed nor the course can be compared.
      defects.insert(.repeatedPositions)
      return defects
    }
    if !(0.7...1.4).contains(way / reported) { defects.insert(.wrongSpeed) }
    // The cosine of 37°. The course of a receiver is late in curves.
    if courses >= Self.needed, agreement < 0.8 * courses { defects.insert(.wrongCourse) }
    return defects
  }

  mutating func update(_ epoch: borrowing Epoch) {
    guard let coordinate = epoch.coordinate, epoch.quality != .estimated else {
      last = nil
      return
    }
    epochs += 1
    if epoch.speed != nil { speeds += 1 }
    let point = Point(
      coordinate: coordinate, speed: epoch.speed, course: epoch.course, nanoseconds: epoch.measuredNanoseconds)
    if let last, !epoch.startsSequence { compare(last, point) }
    last = point
    if max(epochs, pairs) >= Self.most { halve() }
  }

  private mutating func compare(_ first: Point, _ second: Point) {
    let seconds = (second.nanoseconds - first.nanoseconds) / 1e9
    guard seconds > 0, seconds <= Self.longestGap, let former = first.speed, let latter = second.speed,
      min(former, latter) >= Self.leastSpeed
    else { return }
    pairs += 1
    if first.coordinate == second.coordinate {
      repeats += 1
      return
    }
    let (north, east) = first.coordinate.flatOffset(to: second.coordinate)
    let distance = (north * north + east * east).squareRoot()
    way += distance
    reported += (former + latter) / 2 * seconds
    guard let course = first.course, let next = second.course else { return }
    let turn = (next - course).remainder(dividingBy: 360)
    let angle = (course + turn / 2) * .pi / 180
    courses += 1
    agreement += (north * cos(angle) + east * sin(angle)) / distance
  }

  private mutating func halve() {
    epochs /= 2
    speeds /= 2
    pairs /= 2
    repeats /= 2
    way /= 2
    reported /= 2
    courses /= 2
    agreement /= 2
  }
}
