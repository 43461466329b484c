import Authorization
import Clocks
import LineServer
import Testing

private func app(_ name: String) throws -> AppID { try #require(AppID(name)) }

private func rules(anyAppUID: UInt32? = nil) throws -> IdentityRules {
  IdentityRules(
    apps: [
      IdentityRule(app: try app("parks"), holder: .uid(1000)), IdentityRule(app: try app("maps"), holder: .uid(1000)),
      IdentityRule(app: try app("kiosk"), holder: .unit("kiosk.service")),
      IdentityRule(app: try app("boat"), holder: .uid(1001)),
    ], anyAppUID: anyAppUID)
}

@Test(arguments: [
  ("parks", Peer.process(uid: 1000), true), ("maps", Peer.process(uid: 1000), true),
  ("boat", Peer.process(uid: 1000), false),
  ("kiosk", Peer.process(uid: 1000), false), ("kiosk", Peer.process(uid: 0), false),
  ("kiosk", Peer.process(uid: 33, unit: "kiosk.service"), true),
  ("kiosk", Peer.process(uid: 33, unit: "other.service"), false),
  ("unknown", Peer.process(uid: 1000), false), ("parks", Peer.process(uid: 0), false),
  ("../parks", Peer.process(uid: 1000), false),
])
func `a peer may only be what is configured for its uid or unit`(claimed: String, peer: Peer, may: Bool) throws {
  #expect((try? rules().identify(claimed, peer).get()) == (may ? try app(claimed) : nil))
}

@Test func `who claims nothing is the one app that it can be, or none`() throws {
  #expect(try rules().identify(nil, Peer.process(uid: 1001)).get() == app("boat"))
  #expect((try? rules().identify(nil, Peer.process(uid: 1000)).get()) == nil)
  #expect((try? rules().identify(nil, Peer.process(uid: 7)).get()) == nil)
}

@Test func `on a simulated gateway its own uid may use any app id, and no other uid`() throws {
  let rules = try rules(anyAppUID: 501)
  #expect(try rules.identify("anything", Peer.process(uid: 501)).get() == app("anything"))
  #expect((try? rules.identify("anything", Peer.process(uid: 502)).get()) == nil)
  #expect((try? rules.identify("No Such Name", Peer.process(uid: 501)).get()) == nil)
}

@Test(arguments: [
  ("0::/system.slice/kiosk.service\n", "kiosk.service" as String?),
  ("0::/system.slice/system-getty.slice/getty@tty1.service\n", "getty@tty1.service"),
  ("0::/system.slice/kiosk.service/payload\n", "kiosk.service"),
  ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/kiosk.service\n", nil),
  ("0::/machine.slice/system.slice/kiosk.service\n", nil), ("0::/\n", nil), ("", nil),
  ("1:name=systemd:/system.slice/kiosk.service\n", nil),
  ("12:cpu:/x\n0::/system.slice/a.service\n", "a.service"),
])
func `only a unit of the system's manager tells who a peer is`(cgroups: String, unit: String?) {
  #expect(Peer.systemUnit(inCgroups: cgroups) == unit)
}

@Test func `a bucket allows a burst of 50 and then 20 in a second`() {
  var now = MonotonicInstant(nanoseconds: 0)
  var bucket = TokenBucket(at: now)
  func taken() -> Int {
    var count = 0
    for _ in 0..<60 where bucket.take(at: now) { count += 1 }
    return count
  }
  #expect(taken() == 50)
  now = now + .seconds(1)
  #expect(taken() == 20)
  now = now + .seconds(3600)
  #expect(taken() == 50)
  now = MonotonicInstant(nanoseconds: 0)
  #expect(taken() == 0)
}
