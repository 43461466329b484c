import Decoding
import Testing

private func verdicts(_ identifier: UBXIdentifier, _ bytes: [UInt8]) throws(UBXError) -> SignalThreats? {
  try SignalThreats(identifier, bytes.span)
}

/// A payload with some bytes that are not 0.
private func payload(_ count: Int, _ bytes: [Int: UInt8]) -> [UInt8] {
  (0..<count).map { bytes[$0] ?? 0 }
}

private let noInterference: UInt8 = 0x01

@Test(
  arguments: [
    // Bits 3 and 4 of flags2.
    (.navSTATUS, payload(16, [7: 0x08]), SignalThreat.none, nil),
    (.navSTATUS, payload(16, [7: 0xF7]), .suspected, nil),
    (.navSTATUS, payload(16, [7: 0x18]), .certain, nil), (.navSTATUS, payload(16, [7: 0xE7]), .unknown, nil),
    // Version 1 has a byte for each kind. A verdict counts only while the detection is on.
    (.secSIG, payload(12, [0: 1, 4: 0x03, 8: 0x03]), SignalThreat.none, SignalThreat.none),
    (.secSIG, payload(12, [0: 1, 4: 0x05, 8: 0x07]), .certain, .suspected),
    (.secSIG, payload(12, [0: 1, 4: 0x04, 8: 0x06]), .unknown, .unknown),
    // Version 2 has one byte for both.
    (.secSIG, [2, 0x1B, 0, 0], SignalThreat.none, SignalThreat.none), (.secSIG, [2, 0x3F, 0, 0], .certain, .certain),
    (.secSIG, [2, 0x2D, 0, 1, 0, 0, 0, 1], .suspected, .suspected), (.secSIG, [2, 0x36, 0, 0], .unknown, .unknown),
    // The worst band of MON-RF.
    (.monRF, payload(28, [1: 1, 5: noInterference]), nil, SignalThreat.none),
    (.monRF, payload(52, [1: 2, 5: 0x02, 29: noInterference]), nil, .suspected),
    (.monRF, payload(52, [1: 2, 5: 0x01, 29: 0xFF]), nil, .certain), (.monRF, payload(4, [:]), nil, .unknown),
    // Bits 2 and 3 of the flags of MON-HW, in both of its lengths.
    (.monHW, payload(60, [22: 0x01]), nil, .unknown), (.monHW, payload(60, [22: 0x05]), nil, SignalThreat.none),
    (.monHW, payload(68, [22: 0x0B]), nil, .suspected), (.monHW, payload(60, [22: 0x0C]), nil, .certain),
  ] as [(UBXIdentifier, [UInt8], SignalThreat?, SignalThreat?)])
func `a receiver's verdict about an attack is read`(
  identifier: UBXIdentifier, bytes: [UInt8], spoofing: SignalThreat?, jamming: SignalThreat?
) throws {
  let read = try #require(try verdicts(identifier, bytes))
  #expect((read.spoofing, read.jamming) == (spoofing, jamming))
}

@Test(
  arguments: [
    (.navSTATUS, 15, [:], nil), (.secSIG, 3, [:], nil), (.secSIG, 11, [0: 1], nil), (.monHW, 59, [:], nil),
    (.monRF, 3, [:], nil), (.monRF, 44, [1: 2], nil), (.monRF, 28, [1: 2], nil), (.secSIG, 12, [0: 0], 0),
  ] as [(UBXIdentifier, Int, [Int: UInt8], UInt8?)])
func `a message with another format gives no verdict`(
  identifier: UBXIdentifier, count: Int, bytes: [Int: UInt8], version: UInt8?
) throws {
  let error = version.map { UBXError.version(identifier, $0) } ?? .payloadLength(identifier, count)
  #expect(throws: error) { _ = try verdicts(identifier, payload(count, bytes)) }
}

@Test func `other messages contain no verdict`() throws {
  #expect(try verdicts(.navPVT, pvt.bytes) == nil)
  #expect(try verdicts(.monVER, []) == nil)
}
