import Base
import Decoding
import GNSS
import Testing

private func leapSecond(_ bytes: [UInt8]) throws(UBXError) -> NavTIMELS.Event? { try NavTIMELS(bytes.span).next }

private func payload(change: Int8, remaining: Int32, valid: UInt8) -> [UInt8] {
  Payload(24).with { payload in
    payload.put(Int8(18), at: 9)
    payload.put(change, at: 11)
    payload.put(remaining, at: 12)
    payload.put(valid, at: 23)
  }.bytes
}

@Test(
  arguments: [
    // The change, the seconds until the event, the valid flags.
    (1, 3600, 3, true), (-1, 86_400, 2, false), (1, 1, 3, true), (0, 3600, 3, nil), (1, 0, 3, nil), (1, -5, 3, nil),
    (1, 3600, 1, nil), (2, 3600, 3, nil), (-128, 3600, 3, nil),
  ] as [(Int8, Int32, UInt8, Bool?)])
func `a leap second counts if it is in the future and marked as valid`(
  change: Int8, remaining: Int32, valid: UInt8, isInsertion: Bool?
) throws {
  let read = try leapSecond(payload(change: change, remaining: remaining, valid: valid))
  #expect(read?.isInsertion == isInsertion)
  #expect(read?.remaining == isInsertion.map { _ in Int(remaining) })
}

@Test func `a short message about the leap second is refused`() {
  #expect(throws: UBXError.payloadLength(.navTIMELS, 23)) { try leapSecond(Array(repeating: 0, count: 23)) }
}

@Test(arguments: [(0x37, false), (0x33, true), (0x31, true)] as [(UInt8, Bool)])
func `a time whose seconds the receiver does not know is marked as uncertain`(valid: UInt8, isUncertain: Bool) throws {
  let epochs = try epochs([(.navPVT, pvt.with { $0.put(valid, at: 11) })])
  #expect(epochs.map(\.isTimeUncertain) == [isUncertain])
}
