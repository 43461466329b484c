import Base
package import Hardware

package final class I2CDisplayPort: DisplayPort {
  private let name: String
  private let bus: any I2CBus

  package convenience init(path: String, address: UInt16) throws(HardwareError) {
    do {
      self.init(path: path, address: address, try LinuxI2CBus(path: path, address: address))
    } catch {
      throw Self.refusal(error, ofBus: path)
    }
  }

  init(path: String, address: UInt16, _ bus: any I2CBus) {
    name = "i2c:\(path):0x\(address.digits(2, radix: 16))"
    self.bus = bus
  }

  package func write(_ bytes: [UInt8]) throws(HardwareError) {
    do throws(I2CFault) {
      _ = try bus.perform(.transfer(write: bytes, readCount: 0))
    } catch {
      throw refusal(error)
    }
  }

  /// Returns the error for a bus that cannot be opened. The program of the display has its own service, whose name
  /// contains the name of the bus.
  static func refusal(_ error: HardwareError, ofBus path: String) -> HardwareError {
    guard error.remedy == HardwareError.sandboxRemedy else { return error }
    var error = error
    let name = path.hasPrefix("/dev/") ? String(path.dropFirst("/dev/".count)) : path
    error.remedy = "the name of the service must contain the bus: systemctl enable --now onefix-display@\(name)"
    return error
  }

  private func refusal(_ fault: I2CFault) -> HardwareError {
    switch fault {
    case .notAcknowledged:
      HardwareError(
        .absent, "write", name, cause: "no display answers", remedy: "check its wires and its address with i2cdetect")
    case .timedOut:
      HardwareError(
        .absent, "write", name, cause: "the bus is stuck", remedy: "check the pull-up resistors of both lines")
    case .arbitrationLost: HardwareError(.busy, "write", name, cause: "another controller occupies the bus")
    case .busGone: HardwareError(.absent, "write", name, cause: "the bus adapter was removed")
    case .unsupported:
      HardwareError(.unsuitable, "write", name, cause: "the adapter does not support writes of 33 bytes")
    case .other: HardwareError(.failed, "write", name, cause: "the transactions fail")
    }
  }
}
