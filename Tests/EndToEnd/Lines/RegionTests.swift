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
    let owner = try await Peer.owner(daemon)
    _ = try await owner.reply(to: "SUB owner/# news")
    return (daemon, owner)
  }

  /// Waits until the gateway has determined on which side of the region it is.
  private func isSide(_ side: String, _ owner: Peer) async throws {
    _ = try await eventually("the side of the region") {
      _ = try await owner.reply(to: "REGIONS")
      return owner.received("MSG owner/regions").last?.contains(#""state":"\#(side)""#) == true ? true : nil
    }
  }

  /// Registers a region at home and restarts the daemon 2 km away.
  private func travel(
    _ status: String, isKilled: Bool = false, _ body: (Daemon, _ app: Peer, _ owner: Peer) async throws -> Void
  ) async throws {
    let folder = try Folder()
    var (daemon, owner) = try await start(in: folder, isHome: true)
    var app = try await Peer.connected(daemon)
    #expect(app.received[0].contains(" maxregions=20 ") && app.received[0].contains(",regions"))
    #expect(try await app.reply(to: Self.home).hasPrefix("-ERR 410"))
    if status == "provisional" {
      #expect(try await app.reply(to: "AUTHORIZE always").hasPrefix("+OK"))
      _ = try await owner.next("MSG owner/prompt")
      #expect(try await owner.reply(to: "ANSWER 1 while-using") == "+OK")
    } else {
      #expect(try await owner.reply(to: "SET peer status \(status)") == "+OK")
    }
    #expect(try await app.reply(to: Self.home) == "+OK")
    try await isSide("inside", owner)
    if isKilled {
      daemon.process.kill(SIGKILL)
      _ = try await daemon.process.finish()
    } else {
      try await daemon.stop()
    }
    for name in ["state/onefix.sqlite", "state/onefix.sqlite-wal"] {
      let bytes = (try? Data(contentsOf: URL(fileURLWithPath: folder.path(name)))) ?? Data()
      #expect(bytes.range(of: Data("Is the oven".utf8)) == nil, "it is sealed")
    }
    (daemon, owner) = try await start(in: folder, isHome: false)
    app = try await Peer.connected(daemon)
    #expect(try await app.reply(to: "SUB # r") == "+OK")
    #expect(try await app.reply(to: "REGION LIST") == "+OK count=1")
    #expect(app.received("MSG regions - ").last?.contains(#""lat":47.37666667"#) == true)
    try await body(daemon, app, owner)
    try await daemon.stopChecked()
  }

  @Test(arguments: [true, false])
  func `an app with "always" is notified that the device left a region, also after a kill, and the log has the event`(
    isKilled: Bool
  ) async throws {
    try await travel("always", isKilled: isKilled) { (daemon: Daemon, app: Peer, owner: Peer) async throws in
      #expect(try await app.next("MSG region/") == #"MSG region/home r {"event":"exit"}"#)
      try await isSide("outside", owner)
      #expect(try await daemon.log().contains { $0.contains(#""outcome":"region""#) })
      #expect(try await app.reply(to: "REGION DEL home") == "+OK")
      #expect(try await app.reply(to: "REGION LIST") == "+OK count=0")
      #expect(app.received("MSG region/").count == 1)
    }
  }

  @Test func `the owner sees a region event that the app may not see`() async throws {
    try await travel("whenInUse") { (daemon: Daemon, app: Peer, owner: Peer) async throws in
      let news = #"{"app":"peer","name":"peer","region":"home","event":"exit","says":"Is the oven off?","time":"#
      #expect(try await owner.next("MSG owner/notification").hasPrefix("MSG owner/notification news \(news)"))
      #expect(try await app.reply(to: "PING") == "PONG")
      #expect(app.received("MSG region/").isEmpty)
      #expect(try await daemon.log().isEmpty)
    }
  }

  @Test func `with "while in use" a border crossing prompts the user, and the answer yes sends the event`()
    async throws
  {
    try await travel("provisional") { (_: Daemon, app: Peer, owner: Peer) async throws in
      let prompt = try await owner.next { $0.contains(#""kind":"always""#) && $0.contains(#""state":"open""#) }
      #expect(prompt.hasPrefix("MSG owner/prompt"))
      #expect(app.received("MSG region/").isEmpty)
      #expect(try await owner.reply(to: "ANSWER 1 always") == "+OK")
      #expect(try await app.next("MSG region/") == #"MSG region/home r {"event":"exit"}"#)
    }
  }

  @Test func `without the owner's permission there are no regions`() async throws {
    try await Daemon.with { daemon in
      let app = try await Peer.connected(daemon)
      #expect(!app.received[0].contains("regions"))
      #expect(try await app.reply(to: Self.home).hasPrefix("-ERR 412 restricted "))
    }
  }
}
