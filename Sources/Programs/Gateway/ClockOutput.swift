package import Base
package import ReceiverStream
package import Telemetry

/// An output of the receiver's time to a clock of this machine. The time passes no gate, because it is not location.
package protocol ClockOutput: Sendable {
  /// The warning that owners get while an app has less than full accuracy.
  var reducedWarning: String { get }
  /// The fields of the reply to `STATUS`.
  var fields: [String: String] { get }
  var families: [MetricFamily] { get }

  /// Records that a read returned bytes of the receiver.
  mutating func receive(_ count: Int, arrived: MonotonicInstant)

  /// Sends the time of an epoch, without waiting. Returns messages for the log of the daemon.
  mutating func send(_ time: ReceiverTime, at now: ClockReading) -> [LogMessage]
}
