/// A check for a receiver on an I2C bus. The check only reads, because a write could change the state of a device.
/// (Other tools write with the SMBus command *quick write*.)
package enum I2CProbe {
  /// Returns whether a receiver answers at an I2C address. The check takes no data from a u-blox receiver.
  ///
  /// - Returns: whether a receiver answered; nil if the bus cannot be used, or if the read failed for another reason
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
