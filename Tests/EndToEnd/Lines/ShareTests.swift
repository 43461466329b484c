import Foundation
import Glibc
import Testing

/// The shares of the apps in the connections of a listener, with few file descriptors.
@Suite struct ShareTests {
  @Test func `the sessions of one app leave room for another app at the socket of all apps`() async throws {
    let daemon = try await Daemon.start(limit: "-n 80")
    let crowd = try (0..<80).map { _ in try RawSocket.connect(daemon.socket) }
    for client in crowd { client.send("HELLO 1 app=hog keepalive=0\n") }
    var texts = [String](repeating: "", count: crowd.count)
    let first = try await eventually("a refused client beside an accepted one") {
      for (index, client) in crowd.enumerated() { texts[index] += client.receive() }
      let isRefused = texts.contains { $0.contains("431 too-many") && $0.contains("end one first") }
      return isRefused ? texts.firstIndex { $0.contains("+OK") } : nil
    }
    let peer = try await Peer.connected(daemon)
    #expect(try await peer.reply(to: "STATUS").hasPrefix("+OK"))
    try await isWarnedOnce(daemon, about: "hog")
    // A client that ends leaves its place in the share.
    crowd[first].hangUp()
    var (further, text) = (try RawSocket.connect(daemon.socket), "")
    further.send("HELLO 1 app=hog keepalive=0\n")
    _ = try await eventually("a further client of the app") {
      text += further.receive()
      if text.contains("431 too-many") {
        (further, text) = (try RawSocket.connect(daemon.socket), "")
        further.send("HELLO 1 app=hog keepalive=0\n")
      }
      return text.contains("+OK") ? true : nil
    }
    try await daemon.stopChecked()
  }

  @Test func `the connections of one app leave room for another app at a TCP listener`() async throws {
    let daemon = try await Daemon.start(configuration: NetworkTests.listener + NetworkTests.apps, limit: "-n 96")
    let keys = (ferry: try await daemon.addKey("ferry"), tug: try await daemon.addKey("tug"))
    var clients: [NetworkApp] = []
    var reply = "+OK"
    while reply.hasPrefix("+OK"), clients.count < 60 {
      clients.append(try await NetworkApp.overTCP(daemon))
      reply = try await clients[clients.count - 1].prove("ferry", by: keys.ferry)
    }
    #expect(
      reply.hasPrefix("-ERR 431 too-many :this app can have at most \(clients.count - 1) connections"), "\(reply)")
    #expect(try await NetworkApp.overTCP(daemon).prove("tug", by: keys.tug).hasPrefix("+OK proto=1"))
    withExtendedLifetime(clients) {}
    try await daemon.stopChecked()
  }

  @Test(.enabled(if: GPSDEmulatorTests.isRoot, "needs root, to run clients as other users"))
  func `the clients of one app leave room for another app at the port of gpsd`() async throws {
    let daemon = try await Daemon.start(
      configuration: Daemon.gpsd(), ["--log-level", "info"], limit: "-n 96")
    let address = try daemon.address("gpsd")
    // The clients watch, so the listener does not close them in favour of new clients.
    let crowd = try (0..<60).map { _ in
      let client = GPSDClient(carrier: try TCPConnection(address.host, address.port))
      client.write(#"?WATCH={"enable":true,"json":true}"#)
      return client
    }
    let refused = try await eventually("a refused client") {
      crowd.first {
        $0.received.contains { $0.contains(#""class":"ERROR""#) && $0.contains("this app can have at most") }
      }
    }
    _ = try await refused.carrier.output.first("the end of its connection") { $0.isOver ? true : nil }
    let nc = ["setpriv", "--reuid=4242", "--regid=4242", "--clear-groups", "nc", address.host, address.port]
    let guest = GPSDClient(carrier: try Child(nc[0], Array(nc.dropFirst())))
    guest.write(#"?WATCH={"enable":true,"json":true}"#)
    try await daemon.armed("guest")
    try await guest.waitForNoFix()
    try await isWarnedOnce(daemon, about: "sailor")
    withExtendedLifetime(crowd) {}
    try await daemon.stopChecked()
  }

  private func isWarnedOnce(_ daemon: Daemon, about app: String) async throws {
    let words = ["cannot serve another client", "app=\(app)"]
    try await daemon.process.reported(words[0], words[1])
    let lines = daemon.process.errors.value.lines
    #expect(lines.count { line in words.allSatisfy { line.contains($0) } } == 1)
  }
}
