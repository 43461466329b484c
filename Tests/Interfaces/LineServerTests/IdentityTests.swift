import Authorization
import CLinux
import Clocks
import Testing

@testable import LineServer

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

@Test func `a process without a known unit that claims a unit's app is told what a unit needs`() throws {
  func refusal(_ claimed: String, _ peer: Peer) throws -> String? {
    guard case .failure(let refusal) = try rules().identify(claimed, peer) else { return nil }
    return refusal.text
  }
  #expect(try refusal("kiosk", .process(uid: 33))?.contains("Linux 6.5") == true)
  #expect(try refusal("kiosk", .process(uid: 33, unit: "other.service"))?.contains("Linux") == false)
  #expect(try refusal("parks", .process(uid: 33))?.contains("Linux") == false)
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
  ("0::/system.slice/docker-abc.scope/kiosk.service\n", nil),
  ("0::/system.slice/docker-abc.scope/system.slice/kiosk.service\n", nil),
  ("0::/system.slice/runner.service/system.slice/kiosk.service\n", "runner.service"),
  ("0::/system.slice/payload/kiosk.service\n", nil), ("0::/system.slice/../kiosk.service\n", nil),
  ("0::/system.slice/kiosk.service (deleted)\n", nil), ("0::/system.slice/kiosk.slice\n", nil),
])
func `only a unit of the system's manager tells who a peer is`(cgroups: String, unit: String?) {
  #expect(Peer.systemUnit(inCgroups: cgroups) == unit)
}

@Test(arguments: [
  (3 as CInt?, true, "kiosk.service" as String?),
  // The process ended while its cgroup was read: its number may be another's.
  (3, false, nil),
  // The kernel gave no descriptor: whose the number is now is not known.
  (nil, true, nil),
])
func `a unit is known only through a descriptor of the process that connected, and while that lives`(
  pidfd: CInt?, isAlive: Bool, unit: String?
) {
  let credentials = onefix_peer_credentials(pid: 77, uid: 33, gid: 33)
  let peer = Peer(
    credentials, pidfd: pidfd, unit: { $0 == 77 ? "kiosk.service" : nil }, isAlive: { $0 == 3 && isAlive })
  #expect(peer == .process(uid: 33, unit: unit))
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
