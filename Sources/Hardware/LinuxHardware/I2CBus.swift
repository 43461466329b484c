/// What an I2C transaction can fail with.
enum I2CFault: Error, Hashable, Sendable, CaseIterable {
  /// Nobody answered at the address, or not to every byte.
  case notAcknowledged
  /// The clock was held down too long, or the controller gave up.
  case timedOut
  /// Another controller was faster.
  case arbitrationLost
  /// The bus has gone: its adapter was unplugged.
  case busGone
  /// The controller cannot do what was asked.
  case unsupported
  case other
}

/// One transaction with a receiver.
enum I2CTransaction: Hashable, Sendable {
  /// Reads one byte and writes nothing.
  case readByte
  /// Reads two registers in a row.
  case readWord(register: UInt8)
  /// Writes, and after a repeated start reads. One of both may be empty.
  case transfer(write: [UInt8], readCount: Int)

  /// The number of bytes that the transaction writes, the address not counted.
  var writeCount: Int {
    switch self {
    case .readByte: 0
    case .readWord: 1
    case .transfer(let bytes, _): bytes.count
    }
  }
}

/// A bus, seen from one address on it.
protocol I2CBus: Sendable {
  /// The most bytes that one transaction can read.
  var capacity: Int { get }

  /// Makes a transaction and returns the bytes that it read, in the order in which they came.
  ///
  /// A transaction takes as long as its bytes do on the bus: 90 µs each at 100 kHz, and longer if the receiver holds the
  /// clock.
  func perform(_ transaction: I2CTransaction) throws(I2CFault) -> [UInt8]
}
