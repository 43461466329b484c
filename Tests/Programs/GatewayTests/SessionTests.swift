import Authorization
import Base
import ControlledBoard
import LineProtocol
import Ports
import Requirements
import Testing

@testable import Gateway

extension Bench {
  /// Connects an app again, which resumes the session of a former connection.
  fileprivate func resume(_ former: Talker) async throws -> Talker {
    try await app("parks", "session=\(try await former.token)")
  }
}

@Test(.patient)
func `the request of an absent client is held for the 5 s of the grace period, and no longer`() async throws {
  try await Bench(confirmed()).run { bench, client in
    try await client.reply(to: "REQ once timeout=300")
    try await bench.loseConnection(of: client)
    await bench.clock.pass(.seconds(4))
    let back = try await bench.resume(client)
    #expect(try await back.reply(to: "STATUS").contains("state=awaiting-press"))
    try await bench.loseConnection(of: back)
    await bench.clock.pass(.seconds(6))
    await bench.until { $0.waitingCount == 0 }
    #expect(try await bench.resume(back).reply(to: "STATUS").contains("state=idle"))
  }
}

@Test(.patient)
func `a client resumes its session before the gateway notices the loss, and its former connection is closed`()
  async throws
{
  try await Bench(confirmed()).run { bench, former in
    let token = try await former.token
    #expect(try await former.reply(to: "REQ once").contains("state=awaiting-press"))
    // Neither another app nor another token can resume it.
    for (app, token) in [("thief", token), ("parks", String(token.reversed()))] {
      let thief = try await bench.app(app, "session=\(token)")
      #expect(try await thief.reply(to: "STATUS").contains("state=idle"))
    }
    let back = try await bench.resume(former)
    #expect(try await back.token != token)
    #expect(try await former.next("-ERR").hasPrefix("-ERR 905 keepalive-timeout :"))
    try await former.hungUp()
    #expect(try await back.reply(to: "STATUS").contains("state=awaiting-press"))
    await bench.clock.pass(.seconds(10))
    #expect(try await back.reply(to: "STATUS").contains("state=awaiting-press"))
  }
}

@Test(.patient)
func `a session that has used up its grace period in the background ends when its client connects again`() async throws
{
  try await Bench(confirmed()).run { bench, former in
    try await former.reply(to: "SUB authorization a")
    // The press begins the use of the app.
    try await former.reply(to: "REQ once")
    await bench.receiver.send(second: 30)
    await bench.pressInTime()
    await bench.receiver.send(second: 31)
    _ = try await former.next("MSG fix/once")
    #expect(try await former.reply(to: "STATE background") == "+OK")
    await bench.clock.pass(.seconds(6))
    // A new session has no subscription.
    #expect(try await bench.resume(former).reply(to: "UNSUB a").hasPrefix("-ERR 405"))
    try await former.hungUp()
  }
}

/// With the limit, each line has its delay. The execution of all lines would take minutes.
@Test(.patient)
func `the lines of a client that sends far too much at once and disconnects are not all executed`() async throws {
  try await Bench(confirmed()).run { bench, client in
    try await client.hangUp(after: String(repeating: "\n", count: 100_000))
    await bench.until { $0.isEveryClientAway }
  }
}

@Test(.patient)
func `a resumed session receives its fix again, and the times of the retransmissions do not change`() async throws {
  try await Bench(confirmed()).run { bench, client in
    try await client.reply(to: "REQ once")
    await bench.receiver.send(second: 30)
    await bench.pressInTime()
    await bench.receiver.send(second: 31)
    let first = try await client.next("MSG fix/once")
    let due = await bench.gateway.nextRedelivery
    try await bench.loseConnection(of: client)
    let again = try await bench.resume(client).next("MSG fix/once")
    #expect(again == first.replacing("id=1 ", with: "id=1 dup=1 "))
    #expect(await bench.gateway.nextRedelivery == due && due != nil)
  }
}

@Test(.patient)
func `an app with too many sessions receives an error, and may send HELLO again on the same connection`() async throws {
  try await Bench(confirmed()).run { bench, client in
    await bench.gateway.fill(parks)
    let late = try await Talker.connect(bench.folder + "/s", "@h HELLO 1 app=parks keepalive=0")
    // Without the refusal, the wait for the end of a session below would not end.
    try #require(await late.received.last?.hasPrefix("-ERR 431 too-many @h :") == true)
    #expect(try await late.reply(to: "PING") == "PONG")
    #expect(try await late.reply(to: "@x HELLO 1 app=parks").hasPrefix("-ERR 431 too-many @x :"))
    // One of the other sessions ends.
    try await client.reply(to: "BYE")
    await bench.until { $0.router.sessions.count(of: parks) < Session.most }
    #expect(try await late.reply(to: "HELLO 1 app=parks keepalive=0").hasPrefix("+OK proto=1 session="))
    #expect(try await late.reply(to: "REQ once") == "+OK state=awaiting-press")
    // A client with a refused HELLO is not authenticated. A command after HELLO is refused and closes the connection.
    let hasty = try await Talker.connect(bench.folder + "/s", "HELLO 1 app=parks")
    #expect(try await hasty.reply(to: "STATUS").hasPrefix("-ERR 900 auth-required :"))
  }
}

extension Gateway {
  /// Opens the maximum number of sessions of an app. Their clients are absent.
  fileprivate func fill(_ app: AppID) {
    submit { router, now in
      guard let first = router.sessions.of(app).first, let connection = first.connection else { return }
      let own = first.id
      while router.sessions.count(of: app) < Session.most {
        router.sessions.detach(
          router.sessions.open(app, connection, .transport, indication: "off", at: now.monotonic))
      }
      router.sessions.attach(own, to: connection, .transport)
    }
  }
}

@Test(.patient, arguments: ["+/+/+/#", "+/+/+", "owner/#", "nothing", "region", "+/+/+/+/+/+/+/+/+"])
func `a filter that no topic can match is refused, and does not count as a subscription`(filter: String) async throws {
  try await Bench(confirmed()).run { bench, client in
    for number in 1...20 {
      let refusal = try await client.reply(to: "SUB \(filter) s\(number)")
      #expect(refusal.hasPrefix("-ERR 404 bad-topic"))
    }
  }
}
