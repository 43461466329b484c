import Base
import Decoding
import Testing

/// An example in the library's documentation.
private func show(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) throws(UBXError) {
  if identifier == .navPVT { print(try NavPVT(payload).satellitesUsed) }
}

@Test func `the examples in the documentation request a receiver's version, and refuse a short payload`() {
  let now = MonotonicInstant(nanoseconds: 0)
  var sent: [UInt8] = []
  func send(_ bytes: [UInt8]) { sent += bytes }
  var configurator = Configurator(.complete(port: .uart1, period: 200))
  send(configurator.start(at: now))
  // MON-VER without a payload is a request.
  #expect(sent == [0xB5, 0x62, 0x0A, 0x04, 0x00, 0x00, 0x0E, 0x34])
  #expect(!configurator.isFinished)
  #expect(throws: UBXError.payloadLength(.navPVT, 0)) { try show(.navPVT, [UInt8]().span) }
}
