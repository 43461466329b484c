import Glibc
import Testing

@Suite struct ShutdownTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal stops the daemon, which notifies its clients and removes its sockets`(signal: Int32) async throws {
    let daemon = try await Daemon.start()
    try await daemon.authorize("peer")
    let owner = try await Peer.owner(daemon)
    let peer = try await Peer.connected(daemon)
    let silent = try Peer(daemon.socket)
    _ = try await silent.next("INFO")
    _ = try await peer.reply(to: "REQ once")
    let waiting = try await daemon.request()
    daemon.process.kill(signal)
    #expect(try await daemon.process.finish().end == .exit(0))
    for client in [owner, peer, silent] {
      #expect(try await client.hungUp()?.hasPrefix("-ERR 906 shutting-down") == true, "\(client.received)")
    }
    #expect(try await waiting.finish().end == .exit(7))
    #expect(!daemon.folder.has("s") && !daemon.folder.has("owner.sock"))
    #expect(try await daemon.sqlite("SELECT count(*) FROM open_disclosure") == ["0"])
  }

  @Test func `a pressed button does not delay the end`() async throws {
    let daemon = try await Daemon.start()
    let owner = try await Peer.owner(daemon)
    owner.write("PRESS ms=60000")
    #expect(try await daemon.stop().end == .exit(0))
  }
}
