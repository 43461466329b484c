import NIOCore
import Ports
import Testing

@Test func `a subscriber is an address of IPv4, and 64 bits of IPv6`() throws {
  func subscriber(_ address: String) throws -> [UInt8] {
    try #require(NetworkAddress(try SocketAddress(ipAddress: address, port: 1))).subscriber
  }
  #expect(try subscriber("192.0.2.1") != subscriber("192.0.2.2"))
  #expect(try subscriber("2001:db8:0:1::1") == subscriber("2001:db8:0:1:ffff::2"))
  #expect(try subscriber("2001:db8:0:1::1") != subscriber("2001:db8:0:2::1"))
}

@Test(
  arguments: [
    ("127.0.0.1", "127.0.0.1", true, true), ("127.255.0.2", nil, true, true), ("126.0.0.1", nil, true, false),
    ("128.0.0.1", nil, true, false), ("::ffff:127.0.0.1", "127.0.0.1", true, true),
    ("::ffff:192.0.2.7", "192.0.2.7", true, false), ("::fffe:192.0.2.7", nil, false, false),
    ("::feff:192.0.2.7", nil, false, false), ("::1:ffff:192.0.2.7", nil, false, false),
    ("1::ffff:192.0.2.7", nil, false, false), ("2001:db8::7", "2001:db8::7", false, false), ("::", nil, false, false),
    ("::1", "::1", false, true), ("::2", nil, false, false), ("1::1", nil, false, false),
  ] as [(String, String?, Bool, Bool)])
func `a machine is known by its address, which may be an IPv4 address inside IPv6, and may be a loopback address`(
  address: String, shown: String?, isIPv4: Bool, isLoopback: Bool
) throws {
  let first = try #require(NetworkAddress(try SocketAddress(ipAddress: address, port: 1)))
  let second = try #require(NetworkAddress(try SocketAddress(ipAddress: address, port: 2)))
  #expect(first == second && first.isLoopback == isLoopback)
  #expect((first.subscriber.count == 4) == isIPv4)
  if let shown { #expect(first.description == shown) }
}

@Test func `the address of a Unix socket is no address of a machine`() throws {
  #expect(NetworkAddress(try SocketAddress(unixDomainSocketPath: "/tmp/onefix.sock")) == nil)
}
