import Authorization
import ControlledBoard
import Hardware
import LineProtocol
import Requirements
import SimulatedHardware
import Testing

@testable import Gateway

@Test(.patient, arguments: ["REQ once", "START updates"])
func `C6: a button with an illegible label gives no standing use`(line: String) async throws {
  let button = ButtonProfile(name: "main", label: "Share", labelHeight: 2, labelWidth: 40)
  try await Bench([record(.always)], buttons: { input, _ in [.init(profile: button, input: input)] }).run {
    bench, app in
    await bench.stand(north: 0)
    // The first request is accepted and ends with the first check. Later requests are refused at once.
    if try await app.reply(to: line).hasPrefix("+OK") {
      await bench.clock.pass(.seconds(1))
      _ = try await app.next("-ERR 512")
    }
    #expect(try await app.reply(to: line).hasPrefix("-ERR 512 indicator"))
    #expect(await app.received("MSG fix").isEmpty)
    #expect(await bench.log.isEmpty)
  }
}

@Test(.patient)
func `a region notification lights the indicator, and its mirror for owners`() async throws {
  try await Bench([record(.whenInUse)]).run { bench, app, owner in
    try await owner.reply(to: "SUB indicator light")
    try await app.reply(to: "SUB # all")
    try await app.register()
    await bench.stand(north: 2000)
    let told = await app.received.count
    await bench.stand(north: 0)
    _ = try await owner.next("MSG owner/notification")
    #expect(try await owner.next("MSG indicator light").contains(#""state":"prompt""#))
    await bench.clock.pass(.seconds(3))
    #expect(try await owner.next("MSG indicator light").contains(#""state":"off""#))
    #expect(try await app.reply(to: "PING") == "PONG")
    #expect(await app.received.count == told + 1, "the app sees nothing of it")
  }
}

@Test(.patient)
func `B6: an app with "allow once" may register a region, which is removed with the right`() async throws {
  try await Bench().run { bench, app, owner in
    try await app.reply(to: "SUB authorization mine")
    #expect(try await app.register().hasPrefix("-ERR 410"))
    try await app.reply(to: "AUTHORIZE when-in-use")
    _ = try await owner.next("MSG owner/prompt")
    #expect(try await owner.reply(to: "ANSWER 1 once") == "+OK")
    _ = try await app.next { $0.contains(#""status":"whenInUse""#) }
    #expect(try await app.register() == "+OK")
    let other = try await bench.app()
    #expect(try await other.register().hasPrefix("-ERR 410"), "the right is this session's")
    #expect(try await owner.list("REGIONS").count == 1)
    try await app.hangUp(after: "BYE\n")
    await bench.gateway.handle(.timePassed)
    while try await !owner.list("REGIONS").isEmpty {}
  }
}

@Test(.patient)
func `a session whose request another session took over is notified when it resumes`() async throws {
  try await Bench([record(.notDetermined)]).run { bench, first in
    try await first.reply(to: "@a REQ once")
    try await bench.loseConnection(of: first)
    let second = try await bench.app()
    #expect(try await second.reply(to: "REQ once") == "+OK state=awaiting-press")
    let back = try await bench.app("parks", "session=\(try await first.token)")
    #expect(try await back.next("-ERR").hasPrefix("-ERR 422 expired @a :another session"))
  }
}

@Test(.patient)
func `owners see every open prompt at once, with approximate, and the effect of the next press`() async throws {
  try await Bench([record(.always, of: "other")]).run { bench in
    let (app, other, owner) = (try await bench.app(), try await bench.app("other"), try await bench.owner())
    try await other.reply(to: "REQ once press=required")
    try await app.reply(to: "SUB indicator light")
    try await app.reply(to: "AUTHORIZE when-in-use")
    #expect(try await app.next { $0.contains(#""state":"prompt""#) } != "", "the app that waits holds up nothing")
    let prompt = try await owner.next("MSG owner/prompt")
    #expect(prompt.contains(#""accuracies":"full,reduced,place""#))
    #expect(prompt.contains(#""press":"serves","press-app":"other""#))
    #expect(prompt.contains("The next press is for other. Hold: stop all sharing."))
    try await other.reply(to: "CANCEL")
    let again = try await owner.next("MSG owner/prompt")
    #expect(again.contains(#""press":"answers""#) && again.contains("Press: once. Hold: no."))
    try await other.reply(to: "START updates")
    #expect(try await owner.next("MSG owner/prompt").contains("Hold: no, and stop all sharing."))
  }
}

@Test(.patient)
func `A9: owners receive the state of each app that gets or loses the mark, and apps receive nothing`() async throws {
  try await Bench([record(.always), record(.always, of: "other")]).run { bench in
    let (app, other, owner) = (try await bench.app(), try await bench.app("other"), try await bench.owner())
    func next() async throws -> [Bool] {
      let news = try await owner.next("MSG owner/apps news ")
      return [news.contains(#""app":"other""#), news.contains(#""next":true"#)]
    }
    try await other.reply(to: "REQ once press=required")
    #expect(try await next() == [true, true])
    // The mark stays where it is.
    try await app.reply(to: "REQ once press=required")
    try await other.reply(to: "CANCEL")
    #expect(try await next() == [true, false])
    #expect(try await next() == [false, true])
    try await app.reply(to: "CANCEL")
    #expect(try await next() == [false, false])
    #expect(await (app.received + other.received).allSatisfy { !$0.contains("owner/") && !$0.contains("next") })
  }
}

@Test(.patient)
func `A9: owners see which waiting app or prompt the next press is for, and apps see nothing of it`() async throws {
  try await Bench([record(.always), record(.always, of: "other")]).run { bench in
    let (app, other, owner) = (try await bench.app(), try await bench.app("other"), try await bench.owner())
    #expect(try await !owner.reply(to: "STATUS").contains(" next="))
    try await other.reply(to: "REQ once press=required")
    try await app.reply(to: "REQ once press=required")
    #expect(try await owner.reply(to: "STATUS").contains(" next=other"))
    #expect(try await owner.list("APPS").filter { $0.contains(#""next":true"#) }.map { $0.contains("other") } == [true])
    let snapshot = await bench.gateway.snapshot(entries: 0)
    #expect(snapshot.waiting.map(\.isNext) == [true, false])
    for talker in [app, other] { #expect(try await !talker.reply(to: "STATUS").contains("next")) }
    try await other.reply(to: "CANCEL")
    #expect(try await owner.reply(to: "STATUS").contains(" next=parks"))
    try await app.reply(to: "CANCEL")
    try await owner.reply(to: "SET other status notDetermined")
    try await other.reply(to: "AUTHORIZE when-in-use")
    #expect(try await owner.reply(to: "STATUS").contains(" next=#1"))
    #expect(await (app.received + other.received).allSatisfy { !$0.contains("next") })
  }
}

@Test(.patient)
func `owners see the effect of the latest press and its time, and apps see nothing of it`() async throws {
  try await Bench([record(.notDetermined)]).run { bench, app, owner in
    #expect(try await !owner.reply(to: "STATUS").contains("last-press"))
    try await app.reply(to: "REQ once")
    await bench.pressInTime()
    let status = try await owner.reply(to: "STATUS")
    #expect(status.contains(" last-press=asked last-press-app=parks last-press-time=2026-"), "\(status)")
    #expect(try await !app.reply(to: "STATUS").contains("last-press"))
  }
}

@Test(.patient)
func `A9: the panel shows the waiting apps that have the mark of any button`() async throws {
  let other = try #require(AppID("other"))
  var policy = Policy()
  policy.authorization.boundApps = ["side": [other]]
  try await Bench(
    confirmed(["parks", "other", "third"]), policy: policy,
    buttons: { main, clock in
      [
        .init(profile: ButtonProfile(name: "main"), input: main),
        .init(profile: ButtonProfile(name: "side"), input: SimulatedButton(clock: clock.passing)),
      ]
    }
  ).run { bench in
    for name in ["parks", "other", "third"] {
      let app = try await bench.app(name)
      #expect(try await app.reply(to: "REQ once").hasPrefix("+OK"))
    }
    let waiting = await bench.gateway.snapshot(entries: 0).waiting
    #expect(waiting.map(\.app.name) == ["parks", "other", "third"])
    #expect(waiting.map(\.isNext) == [true, true, false])
  }
}
