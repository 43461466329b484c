import Testing

@testable import Cloaking

/// The values were computed from RFC 5869 and RFC 2104 by another program, with the bytes 0...31 as the device key.
@Test(arguments: [
  (CloakKey.Purpose.slotPhase, 0, 0, 0, 0x1.0c52579da6d00p-7, 0x1.1b664ba45b04ap-1),
  (.site, 0, 2671, 6123, 0x1.af5cbe9714a38p-1, 0x1.2719b9ca16c4cp-2),
  (.site, 1, -3, 0, 0x1.d1e4e9ed173ffp-1, 0x1.a2f86e1455335p-1),
  (.dwellPhase, 0, 0, 0, 0x1.234cb8cf553f0p-4, 0x1.711a1d67e4870p-2),
])
func `a device has the same cells in every release`(
  purpose: CloakKey.Purpose, lattice: UInt8, row: Int32, column: Int32, first: Double, second: Double
) throws {
  let draw = try CloakKey(deviceKey: Array(0..<32)).draw(purpose, lattice: lattice, row: row, column: column)
  #expect(draw == (first, second))
}

@Test(arguments: [0, 1, 31])
func `a device key with fewer than 32 bytes is rejected, and the error names both lengths and not the key`(count: Int)
  throws
{
  let error = try #require(throws: CloakKeyError.self) { try CloakKey(deviceKey: [UInt8](repeating: 1, count: count)) }
  #expect(
    "\(error)" == "cannot derive the key for reduced accuracy: the device key has \(count) bytes, but needs 32 or more")
}
