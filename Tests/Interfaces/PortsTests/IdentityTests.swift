import LineProtocol
import Ports
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

@Test func `after a change of the rules, a process may act only as an app that the rules still permit`() throws {
  let (rules, kiosk) = (try rules(), Peer.process(uid: 33, unit: "kiosk.service"))
  #expect(rules.ids == Set(try ["parks", "maps", "kiosk", "boat"].map(app)))
  #expect(rules.admits(Identity(try app("kiosk"), by: .transport), kiosk))
  #expect(!rules.admits(Identity(try app("boat"), by: .transport), kiosk))
  #expect(!rules.admits(Identity(try app("kiosk"), by: .transport), .port("/dev/ttyS0")))
}
