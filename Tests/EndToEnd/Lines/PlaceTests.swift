import Foundation
import Glibc
import Testing

@Suite struct PlaceTests {
  private func start(in folder: Folder, latitude: String) async throws -> (daemon: Daemon, owner: Peer) {
    let log = try folder.write(stayingLog(latitude), to: "stay.nmea")
    let daemon = try await Daemon.start(in: folder, receiver: "replay:\(log)")
    return (daemon, try await Peer.owner(daemon))
  }

  /// Requests a fix, presses for it, and returns its JSON.
  private func fix(of app: Peer, _ daemon: Daemon) async throws -> String {
    #expect(try await app.reply(to: "REQ once press=required timeout=200") == "+OK state=awaiting-press")
    try await daemon.press(until: ["served", "granted"])
    let message = try await app.next("MSG fix/once")
    return try String(message[#require(message.firstIndex(of: "{"))...])
  }

  @Test func `an app receives the name that its owner allows, and the same name after a restart elsewhere`()
    async throws
  {
    let folder = try Folder()
    var (daemon, owner) = try await start(in: folder, latitude: "4722.60000")
    _ = try await eventually("a place at the present position") {
      try await owner.reply(to: "PLACE ADD harbour 300") == "+OK" ? true : nil
    }
    #expect(try await owner.reply(to: "PLACE ALLOW peer harbour") == "+OK")
    for app in ["peer", "other"] {
      #expect(try await owner.reply(to: "SET \(app) status whenInUse") == "+OK")
      #expect(try await owner.reply(to: "SET \(app) accuracy place") == "+OK")
    }
    var app = try await Peer.connected(daemon)
    let harbour = #"{"time":"2026-11-21T07:00:00.000Z","place":"harbour","accuracy":"place"}"#
    let away = #"{"time":"2026-11-21T07:00:00.000Z","place":"away","accuracy":"place"}"#
    #expect(try await fix(of: app, daemon) == harbour)
    #expect(try await daemon.log().contains { $0.contains(#""accuracy":"place""#) && !$0.contains("harbour") })
    try await daemon.stop()
    for name in ["state/onefix.sqlite", "state/onefix.sqlite-wal"] {
      let bytes = (try? Data(contentsOf: URL(fileURLWithPath: folder.path(name)))) ?? Data()
      #expect(bytes.range(of: Data("harbour".utf8)) == nil, "it is sealed")
    }

    (daemon, owner) = try await start(in: folder, latitude: "4723.68000")
    #expect(try await owner.reply(to: "PLACE LIST") == "+OK count=1")
    #expect(
      owner.received("MSG owner/places").last
        == #"MSG owner/places - {"name":"harbour","radius":300.0,"apps":"peer"}"#)
    app = try await Peer.connected(daemon)
    #expect(try await fix(of: app, daemon) == harbour, "one name in a quarter hour")
    let other = try await Peer.connected(daemon, app: "other")
    #expect(try await fix(of: other, daemon) == away)
    #expect(try await owner.reply(to: "PLACE DENY peer") == "+OK")
    #expect(try await fix(of: app, daemon) == away, "a change by the owner takes effect immediately")
    try await daemon.stopChecked()
  }
}
