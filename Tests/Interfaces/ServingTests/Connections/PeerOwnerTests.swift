import Glibc
import NIOCore
import NIOPosix
import Ports
import Testing

@testable import Serving

/// Both ends of a connection on this machine.
struct Ends {
  let listener: any Channel
  let client: any Channel
  let accepted: any Channel

  private init(_ host: String, _ bootstrap: ServerBootstrap) async throws {
    let (channels, arrival) = AsyncStream.makeStream(of: (any Channel).self)
    listener =
      try await bootstrap
      .childChannelInitializer { channel in
        arrival.yield(channel)
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      .bind(host: host, port: 0).get()
    let address = try #require(listener.localAddress)
    client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(to: address).get()
    var first: (any Channel)?
    for await channel in channels {
      first = channel
      break
    }
    accepted = try #require(first)
  }

  /// Runs the body with a connection to an address of this machine.
  static func with(
    _ host: String, _ bootstrap: ServerBootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup),
    _ body: (Ends) async throws -> Void
  ) async throws {
    // The lookup of a user must also work if the client has closed its end.
    let ends = try await Ends(host, bootstrap.childChannelOption(.allowRemoteHalfClosure, value: true))
    try await body(ends)
    for channel in [ends.client, ends.accepted, ends.listener] { try? await channel.close().get() }
  }
}

@Suite struct PeerOwnerTests {
  @Test(arguments: ["127.0.0.1", "127.3.2.1", "::1"])
  func `the kernel tells whose the other end is, and a connection over loopback counts for its user`(
    host: String
  ) async throws {
    try await Ends.with(host) { ends in
      let uids = [try ends.accepted.peerUID, try ends.client.peerUID]
      #expect(uids == [geteuid(), geteuid()])
      let accepted = ends.accepted
      let peer = try await accepted.eventLoop.submit { try Peer(of: accepted, over: .tcp) }.get()
      #expect(peer.origin == .uid(geteuid()))
    }
  }

  @Test func `a connection that its process has closed, or a listener, is nobody's, and not root's`() async throws {
    try await Ends.with("127.0.0.1") { ends in
      #expect(throws: UnknownPeer.self) { try ends.listener.peerUID }
      try await ends.client.close().get()
      #expect(throws: UnknownPeer.self) { try ends.accepted.peerUID }
    }
  }
}
