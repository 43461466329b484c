import NIOCore
import Ports
import Testing

private func address(_ text: String) throws -> NetworkAddress {
  try #require(NetworkAddress(try SocketAddress(ipAddress: text, port: 1)))
}

@Test(
  arguments: [
    (.process(uid: 7), .uid(7), "uid 7"), (.process(uid: 7, unit: "a.service"), .uid(7), "uid 7 (a.service)"),
    (.port("/dev/ttyS0"), .port("/dev/ttyS0"), "/dev/ttyS0"), (.output("mqtt://a"), .port("mqtt://a"), "mqtt://a"),
  ] as [(Peer, Peer.Origin, String)])
func `connections are counted by their user, or by their port or output`(
  peer: Peer, origin: Peer.Origin, description: String
) {
  #expect(peer.origin == origin && peer.description == description)
}

@Test func `connections of a machine are counted by its address, or by their user if the user is known`() throws {
  let far = Peer.machine(try address("192.0.2.7"))
  #expect(far.origin == .subscriber([192, 0, 2, 7]) && far.description == "192.0.2.7")
  let near = Peer.machine(try address("127.0.0.1"), uid: 7)
  #expect(near.origin == .uid(7) && near.description == "127.0.0.1 (uid 7)")
}
