import Base
import GNSS

/// A detector of jumps of the position that the receiver does not explain.
///
/// Between two epochs, a vehicle moves by its speed, and the position changes by its error. A larger change is a jump.
/// The limits are wide, because a position may be wrong by more than its accuracy between houses, and for some seconds
/// after a dropout. So the detector finds the jumps of simple attacks. It does not find an attack that moves the
/// position slowly.
struct JumpDetector: Sendable {
  /// The position of an epoch, and the data that explain a change of the position.
  private struct Point {
    var coordinate: Coordinate
    var speed: Double?
    var accuracy: Double
    var quality: FixQuality?
    var nanoseconds: Double
  }

  /// The time in seconds with a position in each epoch, after which the detector judges a change.
  private static let settled = 30.0
  /// The maximum time between two epochs that the detector compares, in seconds.
  private static let longestGap = 3.0
  /// The change in metres that is never a jump.
  private static let least = 150.0
  /// The part of the accuracies that is never a jump. With a probability of 68 %, the error is below the accuracy.
  private static let accuracies = 10.0
  /// The acceleration in metres per second squared that a vehicle does not exceed.
  private static let acceleration = 20.0
  /// The speed in metres per second that is assumed if the receiver reports no speed.
  private static let unknownSpeed = 300.0
  /// The accuracy in metres that is assumed if the receiver reports no accuracy, and for each unit of the HDOP.
  private static let unknownAccuracy = 30.0
  private static let rangeError = 10.0

  private var last: Point?
  /// The time of the first position of the row in nanoseconds.
  private var began = 0.0

  /// Processes an epoch, and returns whether its position is a jump.
  mutating func isJump(_ epoch: borrowing Epoch) -> Bool {
    guard let coordinate = epoch.coordinate, !epoch.startsSequence, epoch.quality != .estimated else {
      last = nil
      return false
    }
    let point = Point(
      coordinate: coordinate, speed: epoch.speed, accuracy: JumpDetector.accuracy(of: epoch), quality: epoch.quality,
      nanoseconds: epoch.measuredNanoseconds)
    defer { last = point }
    guard let last else {
      began = point.nanoseconds
      return false
    }
    let seconds = (point.nanoseconds - last.nanoseconds) / 1e9
    // A change of the method explains a change of the position, for example a simulation that was switched on.
    guard seconds > 0, seconds <= Self.longestGap, point.quality == last.quality else {
      began = point.nanoseconds
      return false
    }
    guard point.nanoseconds - began >= Self.settled * 1e9 else { return false }
    let speed = max(point.speed ?? Self.unknownSpeed, last.speed ?? Self.unknownSpeed)
    let explained =
      (speed + Self.acceleration * seconds) * seconds
      + max(Self.least, Self.accuracies * (point.accuracy + last.accuracy))
    guard last.coordinate.flatDistance(to: coordinate) > explained else { return false }
    began = point.nanoseconds
    return true
  }

  private static func accuracy(of epoch: borrowing Epoch) -> Double {
    if let accuracy = epoch.horizontalAccuracy { return accuracy }
    if let latitude = epoch.errorStatistics?.latitude, let longitude = epoch.errorStatistics?.longitude {
      return (latitude * latitude + longitude * longitude).squareRoot()
    }
    return epoch.dilutionOfPrecision.horizontal.map { $0 * rangeError } ?? unknownAccuracy
  }
}

extension Epoch {
  /// The time of the measurement in nanoseconds. Without a date or a time, it is the time of arrival. The value is a
  /// floating-point number, because the difference of two times can be larger than 64 bits: a receiver can report any
  /// date.
  var measuredNanoseconds: Double { Double(time?.nanosecondsSince1970 ?? began.nanoseconds) }
}
