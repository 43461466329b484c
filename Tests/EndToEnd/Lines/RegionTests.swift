import Foundation
import Glibc
import Testing

@Suite struct RegionTests {
  /// A region with a radius of 200 m around home.
  private static let home = "REGION ADD home 47.37666667 8.54166667 200 enter,exit :Is the oven off?"

  /// Starts a daemon at home or 2 km away, and connects as its owner.
  private func start(in folder: Folder, isHome: Bool) async throws -> (daemon: Daemon, owner: Peer) {
    let log = try folder.write(stayingLog(isHome ? "4722.60000" : "4723.68000"), to: "stay.nmea")
    let daemon = try await Daemon.start(in: folder, receiver: "replay:\(log)", configuration: "regions = true\n")
    return (daemon, try await Peer.owner(daemon))
  }

  /// Waits until the gateway has determined on which side of the region it is.
  private func isSide(_ side: String, _ owner: Peer) async throws {
    _ = try await eventually("the side of the region") {
      try await owner.reply(to: "REGIONS")
      return owner.received("MSG owner/regions").last?.contains(#""state":"\#(side)""#) == true ? true : nil
    }
  }

  @Test(arguments: [true, false])
  func `an app with "always" is notified that the device left a region, also after a kill, and the log has the event`(
    isKilled: Bool
  ) async throws {
    let folder = try Folder()
    var (daemon, owner) = try await start(in: folder, isHome: true)
    var app = try await Peer.connected(daemon)
    #expect(app.received[0].contains(" maxregions=20 ") && app.received[0].contains(",regions"))
    #expect(try await app.reply(to: Self.home).hasPrefix("-ERR 410"))
    #expect(try await owner.reply(to: "SET peer status always") == "+OK")
    #expect(try await app.reply(to: Self.home) == "+OK")
    try await isSide("inside", owner)
    daemon.process.kill(isKilled ? SIGKILL : SIGTERM)
    try await daemon.process.finish()
    for name in ["state/onefix.sqlite", "state/onefix.sqlite-wal"] {
      let bytes = (try? Data(contentsOf: URL(fileURLWithPath: folder.path(name)))) ?? Data()
      #expect(bytes.range(of: Data("Is the oven".utf8)) == nil, "it is sealed")
    }
    (daemon, owner) = try await start(in: folder, isHome: false)
    app = try await Peer.connected(daemon)
    #expect(try await app.reply(to: "SUB # r") == "+OK")
    #expect(try await app.reply(to: "REGION LIST") == "+OK count=1")
    #expect(app.received("MSG regions - ").last?.contains(#""lat":47.37666667"#) == true)
    _ = try await eventually("the exit") { app.received("MSG region/").isEmpty ? nil : true }
    #expect(app.received("MSG region/") == [#"MSG region/home r {"event":"exit"}"#])
    try await isSide("outside", owner)
    #expect(try await daemon.log().contains { $0.contains(#""outcome":"region""#) })
    #expect(try await app.reply(to: "REGION DEL home") == "+OK")
    #expect(try await app.reply(to: "REGION LIST") == "+OK count=0")
    #expect(app.received("MSG region/").count == 1)
    try await daemon.stopChecked()
  }
}
