package import Base
package import Decoding
package import OperatingSystem

/// An output of the receiver's time to a clock of this machine. The time passes no gate, because it is not location.
package protocol ClockOutput: Sendable {
  /// The code of the warning that owners get while the accuracy of an app is lower than `full`.
  var reducedWarning: String { get }
  /// The fields of the reply to `STATUS`.
  var fields: [String: String] { get }
  var families: [MetricFamily] { get }

  /// Notes the number of bytes of the receiver that one read has returned.
  mutating func receive(_ count: Int, arrived: MonotonicInstant)

  /// Sends the time of an epoch, without waiting.
  /// - Returns: The messages for the log of the daemon.
  mutating func send(_ time: ReceiverTime, at now: ClockReading) -> [LogMessage]
}
