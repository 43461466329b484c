package import Base
package import Decoding
package import OperatingSystem

/// Sends the time that the receiver reports to a clock of this machine, for example to chrony. Time is not location, so
/// no authorization is necessary.
package protocol ClockOutput: Sendable {
  /// The code of the warning that owners get while an app has a lower accuracy than `full`. Other users of this machine
  /// can then see from the clock when the receiver has no fix.
  var reducedWarning: String { get }
  /// The fields of this output in the reply to the command `STATUS`.
  var fields: [String: String] { get }
  var families: [MetricFamily] { get }

  /// Records the count of bytes that one read of the receiver has returned, and the arrival of these bytes.
  mutating func receive(_ count: Int, arrived: MonotonicInstant)

  /// Sends the time of one epoch (all data of the receiver for one instant), without waiting.
  /// - Returns: The messages for the log of the daemon.
  mutating func send(_ time: ReceiverTime, at now: ClockReading) -> [LogMessage]
}
