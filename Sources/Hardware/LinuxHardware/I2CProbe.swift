/// A probe for a receiver on a bus.
///
/// The probe only reads. Other tools detect devices with an SMBus *quick write*, which changes the state of some
/// devices.
package enum I2CProbe {
  /// Checks whether a receiver answers. If the receiver is a u-blox receiver, the function reads the byte count and
  /// leaves the stream unchanged. If the receiver has no registers, the function reads one byte.
  ///
  /// - Returns: Whether a receiver answered; nil if the bus cannot be used, or if the read failed for another reason.
  package static func answers(path: String, address: UInt16) -> Bool? {
    guard let bus = try? LinuxI2CBus(path: path, address: address) else { return nil }
    return answers(bus, I2CDialect(address: address))
  }

  static func answers(_ bus: some I2CBus, _ dialect: I2CDialect) -> Bool? {
    do throws(I2CFault) {
      switch dialect {
      case .ddc: _ = try bus.perform(DDCStream.readCounter)
      case .paddedBuffer: _ = try bus.perform(.readByte)
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
