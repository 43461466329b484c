/// A port that can also send bytes to configure the receiver.
package protocol CommandPort: BytePort {
  /// Whether the receiver's speed is known. The value is true after the port has delivered bytes. Before that, the
  /// receiver may not understand commands.
  var isSpeedKnown: Bool { get }

  /// The capacity of the line in bytes per second; nil if unknown or unlimited.
  var lineCapacity: Int? { get }

  /// The number of line faults since the port was opened, by kind. The dictionary is empty if the line does not report
  /// faults.
  var faults: [String: Int] { get }

  /// The number of line faults since the program started, by kind.
  var allFaults: [String: Int] { get }

  /// The number of times that the port has sent the wake-up sentences, because no byte has arrived since it was opened;
  /// 0 as soon as a byte arrives.
  var wakeUps: Int { get }

  /// Queues bytes to be sent in order. The function does not wait until the bytes are sent. The receiver may not get
  /// them.
  ///
  /// - Throws: `HardwareError` if the port is not open, or cannot send.
  func send(_ bytes: [UInt8]) throws
}

extension CommandPort {
  package var faults: [String: Int] { [:] }

  package var allFaults: [String: Int] { faults }

  package var wakeUps: Int { 0 }
}
