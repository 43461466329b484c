/// A connection to a display module, for example on an I2C bus.
package protocol DisplayPort: Sendable {
  /// Writes bytes to the display, and returns when the display has acknowledged each byte. The function blocks for
  /// about 90 µs for each byte at a bus speed of 100 kHz.
  /// - Throws: `HardwareError` if the display did not acknowledge a byte, or if the bus failed.
  func write(_ bytes: [UInt8]) throws(HardwareError)
}
