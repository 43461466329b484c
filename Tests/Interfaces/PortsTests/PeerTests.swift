import NIOCore
import Ports
import Testing

private func address(_ text: String) throws -> NetworkAddress {
  try #require(NetworkAddress(try SocketAddress(ipAddress: text, port: 1)))
}

@Test func `connections are counted by their user if the user is known, or by their address, port or output`() throws {
  let peers: [(Peer, Peer.Origin, String)] = [
    (.process(uid: 7), .uid(7), "uid 7"), (.process(uid: 7, unit: "a.service"), .uid(7), "uid 7 (a.service)"),
    (.port("/dev/ttyS0"), .port("/dev/ttyS0"), "/dev/ttyS0"), (.output("mqtt://a"), .port("mqtt://a"), "mqtt://a"),
    (.machine(try address("192.0.2.7")), .subscriber([192, 0, 2, 7]), "192.0.2.7"),
    (.machine(try address("127.0.0.1"), uid: 7), .uid(7), "127.0.0.1 (uid 7)"),
  ]
  for (peer, origin, description) in peers {
    #expect(peer.origin == origin && peer.description == description)
  }
}
