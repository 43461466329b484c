/// A display module on a bus.
package protocol DisplayPort: Sendable {
  /// Writes the bytes of one transaction. Returns when the module has acknowledged each byte. The call blocks for 90 µs
  /// for each byte at 100 kHz.
  /// - Throws: The error if the module did not acknowledge a byte, or if the bus failed.
  func write(_ bytes: [UInt8]) throws(HardwareError)
}
