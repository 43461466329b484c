import Base
import Glibc
import Hardware
import Synchronization
import Testing

@testable import LinuxHardware

@Suite struct I2CDisplayPortTests {
  private func port(_ bus: SimulatedI2CBus) -> I2CDisplayPort { I2CDisplayPort(path: "/dev/i2c-1", address: 0x3C, bus) }

  @Test func `a transaction reaches the bus unchanged`() throws {
    let bus = SimulatedI2CBus(.ddc)
    try port(bus).write([0x00, 0xAE])
    #expect(bus.state.withLock { $0.written.map(\.bytes) } == [[0x00, 0xAE]])
  }

  @Test func `if the sandbox forbids the bus, the remedy is the service with the name of the bus`() {
    let denied = I2CDisplayPort.refusal(LinuxI2CBus.refusal("open", "/dev/i2c-3", EPERM), ofBus: "/dev/i2c-3")
    #expect(denied.remedy?.hasSuffix("systemctl enable --now onefix-display@i2c-3") == true)
    let absent = LinuxI2CBus.refusal("open", "/dev/i2c-3", ENOENT)
    #expect(I2CDisplayPort.refusal(absent, ofBus: "/dev/i2c-3") == absent)
  }

  @Test(arguments: [
    (I2CFault.notAcknowledged, "no display answers (check its wires and its address with i2cdetect)"),
    (.timedOut, "the bus is stuck (check the pull-up resistors of both lines)"),
    (.arbitrationLost, "another controller occupies the bus"), (.busGone, "the bus adapter was removed"),
    (.unsupported, "the adapter does not support writes of 33 bytes"), (.other, "the transactions fail"),
  ])
  func `a fault of the bus is an error with a remedy`(fault: I2CFault, cause: String) {
    let bus = SimulatedI2CBus(.ddc)
    bus.state.withLock { $0.fault = fault }
    let error = #expect(throws: HardwareError.self) { try port(bus).write([0x00, 0xAE]) }
    #expect(error.map { "\($0)" } == "cannot write i2c:/dev/i2c-1:0x3c: \(cause)")
  }
}
