/// A probe for a receiver on an I2C bus. The probe only reads. An SMBus *quick write*, which other tools use, changes
/// the state of some devices.
package enum I2CProbe {
  /// Checks whether a receiver answers. The function does not read the stream of a u-blox receiver.
  ///
  /// - Returns: Whether a receiver answered; nil if the bus cannot be used, or if the read failed for another reason
  ///   than a missing answer.
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
