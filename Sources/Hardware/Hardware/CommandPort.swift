/// A port that can also send bytes, so that the receiver can be configured.
package protocol CommandPort: BytePort {
  /// Whether the receiver's speed is known, so that the receiver understands commands. The value is false during the
  /// search for the speed, and true after the port has delivered bytes.
  var isSpeedKnown: Bool { get }

  /// The capacity of the line in bytes per second; nil if it is unknown or unlimited.
  var lineCapacity: Int? { get }

  /// The number of line faults of each kind since the port was opened. The dictionary is empty if the line does not
  /// report faults.
  var faults: [String: Int] { get }

  /// The number of line faults of each kind since the program started.
  var allFaults: [String: Int] { get }

  /// Queues bytes. The open port sends queued bytes in order. The function does not wait until the bytes are sent.
  ///
  /// Guaranteed: no byte is sent twice or out of order. Not guaranteed: that the receiver gets the bytes.
  /// - Throws: `HardwareError` if the port is not open, or cannot send.
  func send(_ bytes: [UInt8]) async throws
}

extension CommandPort {
  package var faults: [String: Int] { [:] }

  package var allFaults: [String: Int] { faults }
}
