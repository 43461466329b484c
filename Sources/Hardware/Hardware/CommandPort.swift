/// A source of a receiver's bytes that can also send commands to the receiver.
package protocol CommandPort: BytePort {
  /// Whether the port knows the speed of the receiver in bits per second. If false, the receiver may not understand
  /// commands. The value is true as soon as the port has delivered bytes.
  var isSpeedKnown: Bool { get }

  /// The maximum count of bytes per second between the receiver and this machine; nil if unknown or unlimited.
  var lineCapacity: Int? { get }

  /// The counts of transmission faults since the port was opened. The key is the name of the fault, for example
  /// `i2c-timeout`. The dictionary is empty if there are no faults, or if the port does not count faults.
  var faults: [String: Int] { get }

  /// The counts of transmission faults since the start of the program. The key is the name of the fault, for example
  /// `i2c-timeout`.
  var allFaults: [String: Int] { get }

  /// The count of wake-up commands since the port was opened; 0 after the first received byte. A wake-up command ends
  /// the sleep mode of a receiver.
  var wakeUps: Int { get }

  /// Adds bytes to the output queue, and returns before the bytes are sent. The function cannot guarantee that the
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
