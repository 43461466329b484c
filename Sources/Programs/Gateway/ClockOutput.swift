package import Base
package import Decoding
package import OperatingSystem

/// A type that sends the time of the GNSS receiver to a clock of this machine, for example to chrony. Time is not
/// location, so no authorization is necessary.
package protocol ClockOutput: Sendable {
  /// The code of the warning for owners (administrators) while an app has an accuracy below `full`. The clock reveals
  /// to all users of this machine whether the GNSS receiver has a fix.
  var reducedWarning: String { get }
  /// The fields about this clock in the reply to the command `STATUS`.
  var fields: [String: String] { get }
  var families: [MetricFamily] { get }

  /// Records the arrival of bytes from the GNSS receiver.
  /// - Parameters:
  ///   - count: The count of bytes that one read has returned.
  ///   - arrived: The instant at which the bytes arrived.
  mutating func receive(_ count: Int, arrived: MonotonicInstant)

  /// Sends the time of one epoch (all data of the receiver for one instant), without waiting.
  /// - Returns: The messages for the log of the daemon.
  mutating func send(_ time: ReceiverTime, at now: ClockReading) -> [LogMessage]
}
