import Base
import GNSS

/// A detector of jumps: sudden changes of the position that no motion explains. Attacks on the satellite signals cause
/// jumps.
///
/// Between two measurements, a vehicle moves by its speed, and the position changes by its error. A larger change is a
/// jump. The limits are wide, because positions between houses are less accurate than the receiver reports. So the
/// detector finds the jumps of simple attacks, but not an attack that moves the position slowly.
struct JumpDetector: Sendable {
  /// A measured position, with the speed and the accuracy for the comparison with the next position.
  private struct Point {
    var coordinate: Coordinate
    var speed: Double?
    var accuracy: Double
    var quality: FixQuality?
    var nanoseconds: Double
  }

  /// The minimum time in seconds after a gap in the data or a jump, before the detector reports another jump.
  private static let settled = 30.0
  /// The maximum interval in seconds between two measurements for a comparison of their positions.
  private static let longestGap = 3.0
  /// The minimum distance in metres, beyond the motion of the vehicle, that counts as a jump.
  private static let least = 150.0
  /// The minimum distance beyond the motion of the vehicle that counts as a jump, as a multiple of the accuracies of
  /// both positions. (With a probability of 68 %, the error is below the accuracy.)
  private static let accuracies = 10.0
  /// The assumed maximum acceleration of a vehicle in m/s².
  private static let acceleration = 20.0
  /// The assumed speed in m/s of a vehicle whose receiver reports no speed.
  private static let unknownSpeed = 300.0
  /// The assumed accuracy in metres of a receiver that reports neither its accuracy nor its HDOP.
  private static let unknownAccuracy = 30.0
  private static let rangeError = 10.0

  private var last: Point?
  /// The time in nanoseconds of the first measurement after the latest jump or gap in the data.
  private var began = 0.0

  /// Adds an epoch (all data of one instant). Returns whether the position has changed more than motion and errors
  /// explain.
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

  /// Returns the accuracy of the position in metres. If the receiver estimates the error of one axis only, the other
  /// axis counts with the same error, and the result is not smaller than the accuracy without an estimate.
  private static func accuracy(of epoch: borrowing Epoch) -> Double {
    if let accuracy = epoch.horizontalAccuracy { return accuracy }
    let usual = epoch.dilutionOfPrecision.horizontal.map { $0 * rangeError } ?? unknownAccuracy
    // A receiver or gpsd can also report an unknown error as 0.
    let latitude = max(0, epoch.errorStatistics?.latitude ?? 0)
    let longitude = max(0, epoch.errorStatistics?.longitude ?? 0)
    if latitude > 0, longitude > 0 { return (latitude * latitude + longitude * longitude).squareRoot() }
    return max(usual, max(latitude, longitude) * 2.0.squareRoot())
  }
}

extension Epoch {
  /// The time of the measurement in nanoseconds since 1970, or the arrival time if the time is unknown. The type is
  /// `Double`, because a receiver can report any date, and the difference of two dates can exceed 64 bits.
  var measuredNanoseconds: Double { Double(time?.nanosecondsSince1970 ?? began.nanoseconds) }
}
