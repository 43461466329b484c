import Foundation
import Glibc
import Testing

/// Regions and places, whose state survives the end of the daemon.
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

  /// Requests a fix, presses for it, and returns the name of its place.
  private func place(of app: Peer, _ daemon: Daemon) async throws -> Substring? {
    #expect(try await app.reply(to: "REQ once press=required timeout=200") == "+OK state=awaiting-press")
    try await daemon.press(until: ["served", "granted"])
    let fix = /\{"time":"2026-11-21T07:00:00\.000Z","place":"(\w+)","accuracy":"place"\}/
    return try await app.next("MSG fix/once").firstMatch(of: fix)?.1
  }

  @Test(arguments: [true, false])
  func `after a stop or a kill elsewhere, an app gets the exit of its region, and another app the name of its slot`(
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
    _ = try await eventually("a place at the present position") {
      try await owner.reply(to: "PLACE ADD harbour 300") == "+OK" ? true : nil
    }
    // The questions of the first owner used up its commands.
    _ = try await Peer.owner(
      daemon, "PLACE ALLOW other harbour", "SET other status whenInUse", "SET other accuracy place")
    #expect(try await place(of: Peer.connected(daemon, app: "other"), daemon) == "harbour")
    #expect(try await daemon.log().contains { $0.contains(#""accuracy":"place""#) && !$0.contains("harbour") })
    daemon.process.kill(isKilled ? SIGKILL : SIGTERM)
    try await daemon.process.finish()
    for name in ["state/onefix.sqlite", "state/onefix.sqlite-wal"] {
      let bytes = (try? Data(contentsOf: URL(fileURLWithPath: folder.path(name)))) ?? Data()
      for text in ["Is the oven", "harbour"] { #expect(bytes.range(of: Data(text.utf8)) == nil, "it is sealed") }
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
    let other = try await Peer.connected(daemon, app: "other")
    #expect(try await place(of: other, daemon) == "harbour", "one name in a quarter hour")
    _ = try await Peer.owner(daemon, "PLACE DENY other")
    #expect(try await place(of: other, daemon) == "away", "a change by the owner takes effect immediately")
    try await daemon.stopChecked()
  }
}
