/// Asks whether a receiver is on a bus.
package enum I2CProbe {
  /// Reads what leaves the stream as it is: how many bytes a u-blox receiver has ready, or one byte where a receiver
  /// has no such registers.
  /// - Returns: nil where the bus may not be used or cannot tell.
  package static func answers(path: String, address: UInt16) -> Bool? {
    guard let bus = try? LinuxI2CBus(path: path, address: address) else { return nil }
    return answers(bus, I2CDialect(address: address))
  }

  static func answers(_ bus: some I2CBus, _ dialect: I2CDialect) -> Bool? {
    do throws(I2CFault) {
      switch dialect {
      // After both bytes of the count the register pointer is at the stream again. (u-blox M8 R27 §11.5)
      case .ddc: _ = try bus.transfer(write: [0xFD], readCount: 2)
      case .paddedBuffer: _ = try bus.transfer(write: [], readCount: 1)
      }
      return true
    } catch {
      switch error {
      case .notAcknowledged, .timedOut: return false
      case .arbitrationLost, .busGone, .unsupported, .other: return nil
      }
    }
  }
}
