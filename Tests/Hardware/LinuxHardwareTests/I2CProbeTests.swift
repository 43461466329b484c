import Synchronization
import Testing

@testable import LinuxHardware

/// A bus that records its transactions, and succeeds or fails.
private final class AskedBus: I2CBus {
  let capacity = 255
  let fault: I2CFault?
  let transactions = Mutex<[I2CTransaction]>([])

  init(fault: I2CFault? = nil) { self.fault = fault }

  func perform(_ transaction: I2CTransaction) throws(I2CFault) -> [UInt8] {
    transactions.withLock { $0.append(transaction) }
    if let fault { throw fault }
    return [0, 0]
  }
}

@Test(arguments: [(I2CDialect.ddc, I2CTransaction.readWord(register: 0xFD)), (.paddedBuffer, .readByte)])
func `a probe is one SMBus read, which does not change the stream of a receiver with registers`(
  dialect: I2CDialect, transaction: I2CTransaction
) {
  let bus = AskedBus()
  #expect(I2CProbe.answers(bus, dialect) == true)
  #expect(bus.transactions.withLock { $0 } == [transaction])
}

@Test(arguments: I2CFault.allCases)
func `a fault of the bus does not mean that the receiver is absent`(fault: I2CFault) {
  let isSilence = fault == .notAcknowledged || fault == .timedOut
  #expect(I2CProbe.answers(AskedBus(fault: fault), .ddc) == (isSilence ? false : nil))
}

@Test func `a missing bus has no result`() {
  #expect(I2CProbe.answers(path: "/dev/null", address: 0x42) == nil)
}
