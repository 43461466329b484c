enum I2CFault: Error, Hashable, Sendable, CaseIterable {
  /// No device acknowledged the address, or a device acknowledged only some of the bytes.
  case notAcknowledged
  /// A device held the clock signal low for too long, so that the transaction ended.
  case timedOut
  /// Another controller won the arbitration for the bus, so the transaction ended.
  case arbitrationLost
  /// The bus adapter was removed from this machine.
  case busGone
  case unsupported
  case other
}

enum I2CTransaction: Hashable, Sendable {
  case readByte
  case readWord(register: UInt8)
  /// Writes bytes, and then reads bytes after a repeated start condition. The array `write` can be empty, and
  /// `readCount` can be 0.
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

/// An I2C bus, for transactions with the device at one address.
protocol I2CBus: Sendable {
  /// The maximum count of bytes that one transaction can read.
  var capacity: Int { get }

  /// Executes a transaction, and returns the bytes that the transaction has read. At 100 kHz, each byte takes at least
  /// 90 µs.
  func perform(_ transaction: I2CTransaction) throws(I2CFault) -> [UInt8]
}
