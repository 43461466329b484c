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

@Test(arguments: [
  ("127.0.0.1", true), ("127.255.0.2", true), ("::1", true), ("::ffff:127.0.0.1", true), ("126.0.0.1", false),
  ("128.0.0.1", false), ("::", false), ("::2", false), ("1::1", false),
])
func `the loopback addresses are 127.0.0.0/8 and ::1`(address: String, isLoopback: Bool) throws {
  let address = try #require(NetworkAddress(try SocketAddress(ipAddress: address, port: 1)))
  #expect(address.isLoopback == isLoopback)
}

@Test(arguments: [
  "::ffff:192.0.2.7", "::fffe:192.0.2.7", "::feff:192.0.2.7", "::1:ffff:192.0.2.7", "1::ffff:192.0.2.7",
])
func `only an address of IPv6 that begins with ten zeros and FFFF is one of IPv4`(address: String) throws {
  let found = try #require(NetworkAddress(try SocketAddress(ipAddress: address, port: 1)))
  #expect((found.subscriber.count == 4) == (address == "::ffff:192.0.2.7"))
}

@Test func `the address of a Unix socket is no address of a machine`() throws {
  #expect(NetworkAddress(try SocketAddress(unixDomainSocketPath: "/tmp/onefix.sock")) == nil)
}
