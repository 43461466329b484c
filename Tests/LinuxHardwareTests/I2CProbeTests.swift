import Testing

@testable import LinuxHardware

/// A bus that records what is asked, and answers or fails.
private final class AskedBus: I2CBus {
  let capacity = 255
  let fault: I2CFault?

  init(fault: I2CFault? = nil) { self.fault = fault }

  func transfer(write: [UInt8], readCount: Int) throws(I2CFault) -> [UInt8] {
    #expect(write == [0xFD] && readCount == 2 || write == [] && readCount == 1)
    if let fault { throw fault }
    return [UInt8](repeating: 0, count: readCount)
  }
}

@Test(arguments: [I2CDialect.ddc, .paddedBuffer])
func `a receiver that gives its bytes is there`(dialect: I2CDialect) {
  #expect(I2CProbe.answers(AskedBus(), dialect) == true)
}

@Test(arguments: I2CFault.allCases)
func `a fault of the bus is no silence of the receiver`(fault: I2CFault) {
  let isSilence = fault == .notAcknowledged || fault == .timedOut
  #expect(I2CProbe.answers(AskedBus(fault: fault), .ddc) == (isSilence ? false : nil))
}

@Test func `a bus that is not there cannot tell`() {
  #expect(I2CProbe.answers(path: "/dev/null", address: 0x42) == nil)
}
