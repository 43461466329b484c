import LineProtocol
import Ports
import Testing

private func app(_ name: String) throws -> AppID { try #require(AppID(name)) }

/// The rules of a simulated gateway, whose own user may use any app id.
private func rules() throws -> IdentityRules {
  IdentityRules(
    apps: [
      IdentityRule(app: try app("parks"), holder: .uid(1000)), IdentityRule(app: try app("maps"), holder: .uid(1000)),
      IdentityRule(app: try app("kiosk"), holder: .unit("kiosk.service")),
      IdentityRule(app: try app("boat"), holder: .uid(1001)),
    ], anyAppUID: 501)
}

@Test(
  arguments: [
    ("parks", .process(uid: 1000), "parks"), ("maps", .process(uid: 1000), "maps"), ("boat", .process(uid: 1000), nil),
    ("kiosk", .process(uid: 1000), nil), ("kiosk", .process(uid: 0), nil), ("parks", .process(uid: 0), nil),
    ("kiosk", .process(uid: 33, unit: "kiosk.service"), "kiosk"), ("../parks", .process(uid: 1000), nil),
    ("kiosk", .process(uid: 33, unit: "other.service"), nil), ("unknown", .process(uid: 1000), nil),
    ("anything", .process(uid: 501), "anything"), ("anything", .process(uid: 502), nil),
    ("No Such Name", .process(uid: 501), nil),
    // A client that claims nothing is the one app that it can be, or none.
    (nil, .process(uid: 1001), "boat"), (nil, .process(uid: 1000), nil), (nil, .process(uid: 7), nil),
  ] as [(String?, Peer, String?)])
func `a peer may only be what is configured for its uid or unit`(claimed: String?, peer: Peer, name: String?) throws {
  #expect((try? rules().identify(claimed, peer).get())?.name == name)
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

@Test func `after a change of the rules, a process may act only as an app that the rules still permit`() throws {
  let (rules, kiosk) = (try rules(), Peer.process(uid: 33, unit: "kiosk.service"))
  #expect(rules.ids == Set(try ["parks", "maps", "kiosk", "boat"].map(app)))
  #expect(rules.admits(Identity(try app("kiosk"), by: .transport), kiosk))
  #expect(!rules.admits(Identity(try app("boat"), by: .transport), kiosk))
  #expect(!rules.admits(Identity(try app("kiosk"), by: .transport), .port("/dev/ttyS0")))
}
