import NIOCore
import Ports
import Testing

@Test(arguments: [
  ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:db8::7", "2001:db8::7"),
])
func `a machine is known by its address, whichever way it came`(address: String, shown: String) throws {
  let first = try #require(NetworkAddress(try SocketAddress(ipAddress: address, port: 1)))
  let second = try #require(NetworkAddress(try SocketAddress(ipAddress: address, port: 2)))
  #expect(first == second && first.description == shown)
}

@Test func `a subscriber is an address of IPv4, and 64 bits of IPv6`() throws {
  func subscriber(_ address: String) throws -> [UInt8] {
    try #require(NetworkAddress(try SocketAddress(ipAddress: address, port: 1))).subscriber
  }
  #expect(try subscriber("192.0.2.1") != subscriber("192.0.2.2"))
  #expect(try subscriber("2001:db8:0:1::1") == subscriber("2001:db8:0:1:ffff::2"))
  #expect(try subscriber("2001:db8:0:1::1") != subscriber("2001:db8:0:2::1"))
}
