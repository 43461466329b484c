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

/// A bus, seen from one address on it.
protocol I2CBus: Sendable {
  /// The most bytes that one transaction can read.
  var capacity: Int { get }

  /// One transaction: writes, and after a repeated start reads. Either may be nothing, not both.
  ///
  /// It may take as long as the bytes do on the bus: 90 µs each at 100 kHz, and longer where the receiver holds the
  /// clock.
  func transfer(write: [UInt8], readCount: Int) throws(I2CFault) -> [UInt8]
}
