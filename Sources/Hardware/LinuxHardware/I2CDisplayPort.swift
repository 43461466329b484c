import Base
package import Hardware

package final class I2CDisplayPort: DisplayPort {
  private let name: String
  private let bus: any I2CBus

  package convenience init(path: String, address: UInt16) throws(HardwareError) {
    self.init(path: path, address: address, try LinuxI2CBus(path: path, address: address))
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
