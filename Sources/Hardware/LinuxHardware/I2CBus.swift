/// The cause of a failed I2C transaction.
enum I2CFault: Error, Hashable, Sendable, CaseIterable {
  /// No device acknowledged the address, or the device acknowledged only some of the bytes.
  case notAcknowledged
  /// A device held the clock signal low for too long, so that the transaction ended.
  case timedOut
  /// Another controller won the arbitration for the bus.
  case arbitrationLost
  /// The bus adapter was removed from this machine.
  case busGone
  case unsupported
  case other
}

/// A transaction with one device on an I2C bus.
enum I2CTransaction: Hashable, Sendable {
  case readByte
  case readWord(register: UInt8)
  /// Writes bytes, and then reads bytes after a repeated start condition. `write` may be empty, and `readCount` may be
  /// 0.
  case transfer(write: [UInt8], readCount: Int)

  /// The count of bytes that the transaction writes, without the address byte.
  var writeCount: Int {
    switch self {
    case .readByte: 0
    case .readWord: 1
    case .transfer(let bytes, _): bytes.count
    }
  }
}

/// Access to the device at one address of an I2C bus.
protocol I2CBus: Sendable {
  /// The maximum count of bytes that one transaction can read.
  var capacity: Int { get }

  /// Executes a transaction, and returns the bytes that it has read. Each byte takes at least 90 µs at 100 kHz.
  func perform(_ transaction: I2CTransaction) throws(I2CFault) -> [UInt8]
}
