/// A probe for a receiver on a bus.
///
/// The probe reads and never writes data: an SMBus *quick write*, which other tools use for detection, changes the
/// state of some devices.
package enum I2CProbe {
  /// Checks whether a receiver answers. From a u-blox receiver, the function reads the byte count, which leaves the
  /// stream unchanged. From a receiver without registers, it reads one byte.
  ///
  /// - Returns: Whether a receiver answered; nil if the bus cannot be used, or failed for another reason.
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
