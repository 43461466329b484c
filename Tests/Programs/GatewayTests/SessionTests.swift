import Authorization
import Clocks
import LineProtocol
import Ports
import Testing

@testable import Gateway

/// A client that said hello, and the token by which it has its session back.
private func connect(_ bench: Bench, session: String? = nil) async throws -> (client: Talker, token: String) {
  let resume = session.map { " session=\($0)" } ?? ""
  let client = try await Talker.connect(bench.folder + "/s", "HELLO 1 app=parks keepalive=0\(resume)")
  let reply = try #require(await client.heard.first { $0.hasPrefix("+OK proto=1 ") })
  return (client, try String(#require(reply.firstMatch(of: /session=([0-9a-f]{32})/)).1))
}

@Test(.timeLimit(.minutes(1)))
func `how a request ended while its client was away is told when it is back, once`() async throws {
  try await Bench.with { bench in
    let (client, token) = try await connect(bench)
    try await client.say("@r REQ once timeout=1")
    try await client.hangUp()
    await bench.until { $0.router.authorization.arms.isEmpty }
    let (back, next) = try await connect(bench, session: token)
    #expect(try await back.next("-ERR").hasPrefix("-ERR 420 no-press @r :"))
    try await back.hangUp()
    await bench.until { $0.isEveryClientAway }
    let (again, _) = try await connect(bench, session: next)
    try await again.say("PING")
    #expect(await again.heard("-ERR").isEmpty)
  }
}

/// Each line takes its time from then on: heard out, they would take minutes.
@Test(.timeLimit(.minutes(1)))
func `whoever says far too much at once and goes is not heard out`() async throws {
  try await Bench.with { bench in
    let (client, _) = try await connect(bench)
    try await client.hangUp(after: String(repeating: "\n", count: 100_000))
    await bench.until { $0.isEveryClientAway }
  }
}

@Test(.timeLimit(.minutes(1)))
func `of a state that changed while its client was away the newest is told when it is back`() async throws {
  try await Bench.with { bench in
    let app = try #require(AppID("parks"))
    let (client, token) = try await connect(bench)
    try await client.say("SUB authorization a")
    try await client.say("SUB button/press b")
    try await client.hangUp()
    await bench.until { $0.isEveryClientAway }
    for status in [Status.whenInUse, .denied, .always] { await bench.gateway.handle(.ordered(.setStatus(app, status))) }
    let (back, _) = try await connect(bench, session: token)
    try await back.say("PING")
    #expect(await back.heard("MSG") == [#"MSG authorization a {"status":"always","accuracy":"full"}"#])
  }
}

@Test(.timeLimit(.minutes(1)))
func `a client that comes back is given its fix again, and the times at which it is sent again stay as they were`()
  async throws
{
  try await Bench.with { bench in
    let (client, token) = try await connect(bench)
    try await client.say("REQ once")
    bench.receiver.say(second: 30)
    try await bench.pressInTime()
    bench.receiver.say(second: 31)
    let first = try await client.next("MSG fix/once")
    let due = await bench.gateway.nextRedelivery
    try await client.hangUp()
    await bench.until { $0.isEveryClientAway }
    let (back, _) = try await connect(bench, session: token)
    #expect(try await back.next("MSG fix/once") == first.replacing("id=1 ", with: "id=1 dup=1 "))
    #expect(await bench.gateway.nextRedelivery == due)
    #expect(due != nil)
  }
}

@Test(.timeLimit(.minutes(1)))
func `an app that has too many sessions is told so, and may say HELLO again on the same connection`() async throws {
  try await Bench.with { bench in
    let app = try #require(AppID("parks"))
    let (client, _) = try await connect(bench)
    await bench.gateway.fill(app)
    let late = try await Talker.connect(bench.folder + "/s", "@h HELLO 1 app=parks keepalive=0")
    #expect(await late.heard.last?.hasPrefix("-ERR 431 too-many @h :") == true)
    #expect(try await late.say("PING") == "PONG")
    #expect(try await late.say("@x HELLO 1 app=parks").hasPrefix("-ERR 431 too-many @x :"))
    // One of the others leaves.
    try await client.say("BYE")
    await bench.until { $0.router.sessions.count(of: app) < Session.most }
    #expect(try await late.say("HELLO 1 app=parks keepalive=0").hasPrefix("+OK proto=1 session="))
    #expect(try await late.say("REQ once") == "+OK state=awaiting-press")
    // Whoever is not welcome is nobody: what comes after HELLO all the same is refused, and closes.
    let hasty = try await Talker.connect(bench.folder + "/s", "HELLO 1 app=parks")
    #expect(try await hasty.say("STATUS").hasPrefix("-ERR 900 auth-required :"))
  }
}

extension Gateway {
  /// Opens as many sessions as an app may have. Their clients are away.
  fileprivate func fill(_ app: AppID) {
    submit { router, now in
      guard let first = router.sessions.of(app).first, let connection = first.connection else { return }
      let own = first.id
      while router.sessions.count(of: app) < Session.most {
        let id = SessionID(router.nextID())
        let session = SessionTable.Input.open(id, app, connection, .transport, indication: "off")
        _ = router.sessions.handle(session, at: now.monotonic)
        _ = router.sessions.handle(.detach(id), at: now.monotonic)
      }
      _ = router.sessions.handle(.attach(own, connection, .transport), at: now.monotonic)
    }
  }
}

@Test(.timeLimit(.minutes(1)))
func `a subscription ends after as many messages as UNSUB says`() async throws {
  try await Bench.with { bench in
    let app = try #require(AppID("parks"))
    let (client, _) = try await connect(bench)
    try await client.say("SUB authorization a")
    try await client.say("SUB # all")
    #expect(try await client.say("UNSUB a 2") == "+OK")
    for status in [Status.denied, .whenInUse, .denied, .always] {
      await bench.gateway.handle(.ordered(.setStatus(app, status)))
      // Of two that wait the newer alone would be told.
      _ = try await client.next("MSG authorization all {")
    }
    #expect(await client.heard("MSG authorization a {").count == 2)
    #expect(try await client.say("UNSUB a").hasPrefix("-ERR 405 bad-argument"))
  }
}

@Test(.timeLimit(.minutes(1)), arguments: ["+/+/+/#", "+/+/+", "owner/#", "nothing", "region", "+/+/+/+/+/+/+/+/+"])
func `a filter that no topic can match is refused, and takes no place`(filter: String) async throws {
  try await Bench.with { bench in
    let (client, _) = try await connect(bench)
    for number in 1...20 {
      #expect(try await client.say("SUB \(filter) s\(number)").hasPrefix("-ERR 404 bad-topic"))
    }
  }
}

@Test(.timeLimit(.minutes(1)))
func `commands that come together are answered in their order, each once`() async throws {
  try await Bench.with { bench in
    let (client, _) = try await connect(bench)
    let commands = ["PING", "STATUS", "SUB indicator i", "REQ once", "FLY", "CANCEL", "UNSUB i", "ACK 1", "PING"]
    // Four times: within what may be said at once.
    let lines = (0..<4).flatMap { _ in commands }.enumerated().map { "@\($0) \($1)" }
    try await client.say(lines.joined(separator: "\n"))
    try await client.until { $0.contains("PONG @35") }
    let replies = await client.heard.filter { $0.contains("@") }
    #expect(replies.map { $0.firstMatch(of: /@(\d+)/).map { String($0.1) } } == lines.indices.map(String.init))
  }
}
