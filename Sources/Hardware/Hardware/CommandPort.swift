/// A port that can also send bytes to configure the receiver.
package protocol CommandPort: BytePort {
  /// Whether the speed at which the receiver sends and receives (bits per second) is known. If the value is false, the
  /// receiver may not understand commands. The value is true after the port has delivered bytes.
  var isSpeedKnown: Bool { get }

  /// The maximum number of bytes per second between the receiver and this machine; nil if the number is unknown or
  /// unlimited.
  var lineCapacity: Int? { get }

  /// The number of transmission faults since the port was opened, by the name of the fault, for example `i2c-timeout`.
  /// The dictionary is empty if no fault has occurred, or if the port does not count faults.
  var faults: [String: Int] { get }

  /// The number of transmission faults since the program started, by the name of the fault.
  var allFaults: [String: Int] { get }

  /// The number of times that the port has sent wake-up sentences since the port was opened; 0 after the first byte has
  /// arrived. Wake-up sentences are commands that make a sleeping receiver send.
  var wakeUps: Int { get }

  /// Adds bytes to the output queue, and returns before the bytes are sent. The function does not guarantee that the
  /// receiver gets the bytes.
  ///
  /// - Throws: `HardwareError` if the port is not open, or cannot send.
  func send(_ bytes: [UInt8]) throws
}

extension CommandPort {
  package var faults: [String: Int] { [:] }

  package var allFaults: [String: Int] { faults }

  package var wakeUps: Int { 0 }
}
