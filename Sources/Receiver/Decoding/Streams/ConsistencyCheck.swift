import Base
import GNSS
import Glibc

/// A contradiction in a receiver's data, or a lack of data. The raw value is a word for owners.
package enum ReceiverDefect: String, Hashable, Sendable {
  /// The receiver reports no speed.
  case noSpeed = "no-speed"
  /// The receiver repeats the same position although it moves.
  case repeatedPositions = "repeated-positions"
  /// The speed does not agree with the change of the position.
  case wrongSpeed = "wrong-speed"
  /// The course does not agree with the change of the position.
  case wrongCourse = "wrong-course"
}

/// A check whether a receiver's speed and course agree with its positions.
///
/// The check compares each epoch with the epoch before, and sums over hundreds of epochs, so that errors of single epochs
/// have no effect. It judges only a receiver that moves fast enough for the errors of the positions not to matter.
struct ConsistencyCheck: Sendable {
  private struct Point {
    var coordinate: Coordinate
    var speed: Double?
    var course: Double?
    var nanoseconds: Double
  }

  /// The number of epochs, or of pairs of epochs, that a judgement needs.
  private static let needed = 60.0
  /// The number of epochs after which the sums are halved, so that older epochs have less and less weight.
  private static let most = 240.0
  /// The speed in metres per second from which a pair counts.
  private static let leastSpeed = 5.0
  private static let longestGap = 2.5

  private var last: Point?
  private var epochs = 0.0
  private var speeds = 0.0
  private var pairs = 0.0
  private var repeats = 0.0
  /// The sums of the ways in metres: by the positions, and by the speed.
  private var (way, reported) = (0.0, 0.0)
  private var courses = 0.0
  /// The sum of the cosines of the angles between the course and the change of the position.
  private var agreement = 0.0

  /// The defects of the receiver. A defect that does not exist any more disappears after hundreds of epochs.
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
