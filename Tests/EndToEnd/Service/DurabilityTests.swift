import Dispatch
import Glibc
import SeededNumbers
import Synchronization
import Testing

@Suite struct DurabilityTests {
  /// The event after which the daemon is killed.
  private enum Moment: CaseIterable {
    case start, hello, armed, pressing, prompted, answering, disclosed, acknowledged
  }

  /// Five gateways, each killed eight times and restarted in the same folder.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `a daemon that is killed at any moment loses no entry and grants nothing afterwards`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let folder = try Folder()
    let log = try folder.write(RecordedLog.walk(seconds: 4000), to: "walk.nmea")
    let received = Observed(0)
    var entries: [String] = []
    for round in 0..<8 {
      let daemon = try await Daemon.start(in: folder, receiver: "replay:\(log)@20")
      try await checkNothingIsOpen(daemon, entries)
      // Every seed uses all moments, in its own order.
      let moment = Moment.allCases[(round * 3 + Int(seed)) % Moment.allCases.count]
      let delay = Int.random(in: 0...60, using: &random)
      try await use(daemon, until: moment, delay: delay, received)
      daemon.process.kill(SIGKILL)
      #expect(try await daemon.process.finish().end == .signal(SIGKILL))

      let now = try await folder.sqlite("SELECT sequence, time, event, app, outcome, disclosure FROM disclosure_log")
      #expect(Array(now.prefix(entries.count)) == entries, "an entry was lost or changed")
      entries = now
      #expect(now.count { $0.contains("|disclosure|") } >= received.value)
    }
    let daemon = try await Daemon.start(in: folder, receiver: "replay:\(log)@20")
    try await checkNothingIsOpen(daemon, entries)
    _ = try await daemon.fix("--app", "peer")
    #expect(try await daemon.stop().end == .exit(0))
    let outcomes = try await folder.sqlite(
      """
      SELECT count(*) FROM disclosure_log d WHERE event = 'disclosure' AND NOT EXISTS
        (SELECT 1 FROM disclosure_log o WHERE o.event = 'outcome' AND o.disclosure = d.sequence)
      """)
    #expect(outcomes == ["0"])
  }

  /// Checks that open requests are lost, no app is armed and a press serves no request.
  private func checkNothingIsOpen(_ daemon: Daemon, _ before: [String]) async throws {
    let query = "SELECT sequence, time, event, app, outcome, disclosure FROM disclosure_log"
    let entries = try await daemon.sqlite(query)
    #expect(Array(entries.prefix(before.count)) == before)
    #expect(entries.dropFirst(before.count).allSatisfy { $0.contains("|outcome|") && $0.contains("|lost|") })
    #expect(try await daemon.sqlite("SELECT count(*) FROM open_disclosure") == ["0"])
    let peer = try await Peer.connected(daemon)
    #expect(try await peer.reply(to: "STATUS").contains(" state=idle "))
    #expect(try await daemon.press() == "nothing")
    #expect(try await peer.reply(to: "PING") == "PONG")
    #expect(peer.received("MSG fix/once") == [])
    #expect(try await daemon.sqlite(query) == entries)
    _ = try await peer.reply(to: "BYE")
    try await peer.hungUp()
  }

  /// Uses the daemon until shortly after a moment, and counts the fixes that arrive.
  private func use(_ daemon: Daemon, until moment: Moment, delay: Int, _ received: Observed<Int>) async throws {
    if moment == .start { return }
    let peer = try Peer(daemon.socket)
    let owner = try await Peer.owner(daemon)
    _ = try await peer.reply(to: "HELLO 1 app=peer keepalive=0")
    let isDone = Observed(false)
    /// Kills the daemon after the delay, while the following steps run.
    func killLater() {
      let process = daemon.process
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
        process.kill(SIGKILL)
        isDone.change { $0 = true }
      }
    }
    if moment == .hello { killLater() }
    peer.write("REQ once")
    if moment == .armed { killLater() }
    if moment == .pressing || moment == .answering { owner.write("PRESS ms=400") }
    if moment == .pressing { killLater() }
    do {
      while moment != .hello && moment != .armed && moment != .pressing {
        let effect = try await owner.reply(to: "PRESS ms=40")
        if effect.contains("effect=prompt") && moment == .prompted { break }
        if effect.contains("effect=prompt") && moment == .answering { killLater() }
        if effect.contains("effect=served") || effect.contains("effect=granted") {
          _ = try await peer.next("MSG fix/once")
          if moment == .acknowledged { peer.write("ACK 1") }
          break
        }
      }
    } catch is Peer.HungUp {}
    if ![.hello, .armed, .pressing].contains(moment) { killLater() }
    _ = try await isDone.first("the end") { $0 ? true : nil }
    try await peer.hungUp()
    let came = peer.received("MSG fix/once").count
    received.change { $0 += came }
  }
}
