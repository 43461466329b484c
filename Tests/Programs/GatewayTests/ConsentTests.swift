import Authorization
import ControlledBoard
import Hardware
import LineProtocol
import OperatingSystem
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import TemporaryFiles
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
func `the light asks no question if a region notification goes to the owners only`() async throws {
  try await Bench([record(.whenInUse)]).run { bench, app, owner in
    try await owner.reply(to: "SUB indicator light")
    try await app.reply(to: "SUB # all")
    try await app.register()
    await bench.stand(north: 2000)
    let told = await app.received.count
    await bench.stand(north: 0)
    _ = try await owner.next("MSG owner/notification")
    #expect(await bench.gateway.light == .off)
    #expect(try await owner.reply(to: "PING") == "PONG")
    #expect(await owner.received("MSG indicator light").count == 1, "only the state at the subscription")
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
func `an accuracy is applied together with the answer no, and refused where the prompt offers none`() async throws {
  try await Bench([record(.whenInUse, accuracy: .reduced)]).run { bench, app, owner in
    try await app.reply(to: "AUTHORIZE full-accuracy purpose=test")
    _ = try await owner.next("MSG owner/prompt")
    #expect(try await owner.reply(to: "ANSWER 1 no accuracy=place").hasPrefix("-ERR 405"))
    #expect(try await owner.reply(to: "ANSWER 1 no") == "+OK")
    let other = try await bench.app("other")
    try await other.reply(to: "AUTHORIZE when-in-use")
    _ = try await owner.next { $0.contains(#""app":"other""#) }
    #expect(try await owner.reply(to: "ANSWER 2 no accuracy=reduced") == "+OK")
    #expect(try await owner.list("APPS").contains { $0.contains("other") && $0.contains(#""accuracy":"reduced""#) })
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
func `the log of the daemon has each connection, prompt, disclosure and refusal`() async throws {
  try await Bench([record(.always, of: "other")]).run { bench, app, owner in
    try await app.reply(to: "AUTHORIZE when-in-use")
    _ = try await owner.next("MSG owner/prompt")
    #expect(try await owner.reply(to: "ANSWER 1 no") == "+OK")
    let other = try await bench.app("other")
    #expect(try await other.reply(to: "REQ once timeout=1") == "+OK state=acquiring")
    await bench.clock.pass(.seconds(2))
    _ = try await other.next("-ERR ")
    #expect(try await other.reply(to: "REQ once") == "+OK state=acquiring")
    await bench.receiver.send(second: 3)
    _ = try await other.next("MSG fix/once")
    try await other.hangUp(after: "BYE\n")
    while try await owner.list("SESSIONS").count > 1 {}
    for line in ["connected", "prompt shown", "prompt closed", "request ended", "disclosed", "disconnected"] {
      #expect(bench.book.all.contains { $0.hasPrefix(line + " ") }, "\(line)")
    }
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
func `A9: owners see which waiting app or prompt the next press is for, and apps see nothing of it`() async throws {
  try await Bench([record(.always), record(.always, of: "other")]).run { bench in
    let (app, other, owner) = (try await bench.app(), try await bench.app("other"), try await bench.owner())
    /// Checks the news, each with whether it is of the app other and whether this app has the mark, and the status.
    func expect(_ next: String?, news: [[Bool]] = []) async throws {
      for expected in news {
        let told = try await owner.next("MSG owner/apps news ")
        #expect([told.contains(#""app":"other""#), told.contains(#""next":true"#)] == expected)
      }
      let status = try await owner.reply(to: "STATUS")
      #expect(next.map { status.contains(" next=\($0)") } ?? !status.contains(" next="), "\(status)")
    }
    try await expect(nil)
    try await other.reply(to: "REQ once press=required")
    try await expect("other", news: [[true, true]])
    // The mark stays where it is.
    try await app.reply(to: "REQ once press=required")
    try await expect("other")
    #expect(try await owner.list("APPS").filter { $0.contains(#""next":true"#) }.map { $0.contains("other") } == [true])
    #expect(await bench.gateway.snapshot(entries: 0).waiting.map(\.isNext) == [true, false])
    for talker in [app, other] { #expect(try await !talker.reply(to: "STATUS").contains("next")) }
    try await other.reply(to: "CANCEL")
    try await expect("parks", news: [[true, false], [false, true]])
    try await app.reply(to: "CANCEL")
    try await expect(nil, news: [[false, false]])
    try await owner.reply(to: "SET other status notDetermined")
    try await other.reply(to: "AUTHORIZE when-in-use")
    try await expect("#1")
    #expect(await (app.received + other.received).allSatisfy { !$0.contains("owner/") && !$0.contains("next") })
  }
}

@Test(.patient)
func `owners alone see the latest press; its time and those of a session and a request stay the same in a suspension`()
  async throws
{
  try await Bench([record(.notDetermined)]).run { bench, app, owner in
    try await app.reply(to: "REQ once")
    await bench.pressInTime()
    let status = try await owner.reply(to: "STATUS")
    #expect(
      status.contains(" last-press=asked last-press-app=parks last-press-number=1 last-press-time=2026-"), "\(status)")
    #expect(try await !app.reply(to: "STATUS").contains("last-press"))
    await bench.clock.pass(.seconds(1))
    func times() async throws -> [String] {
      let press = try await owner.reply(to: "STATUS").firstMatch(of: /\ last-press-time=(\S+)/)?.1
      let session = try await owner.list("SESSIONS").first?.firstMatch(of: /"since":"([^"]+)"/)?.1
      let request = await bench.gateway.snapshot(entries: 0).waiting.first?.since.iso8601
      return [String(try #require(press)), String(try #require(session)), try #require(request)]
    }
    let before = try await times()
    bench.clock.suspend(hour)
    let after = try await times()
    #expect(after == before)
  }
}

@Test(.patient, arguments: [false, true])
func `while the light shows a fix, also a fix that is sent again, the button answers no question`(isSentAgain: Bool)
  async throws
{
  let profile = isSentAgain ? IndicatorProfile() : IndicatorProfile(onceDuration: .seconds(10))
  try await Bench([record(.always, of: "other")], profile: profile).run { bench, app in
    func press() async {
      _ = await bench.button.press(for: .milliseconds(40))
      await bench.clock.pass(.milliseconds(100))
    }
    let other = try await bench.app("other")
    try await app.reply(to: "AUTHORIZE when-in-use")
    await bench.clock.pass(.seconds(1))
    #expect(await bench.gateway.light == .prompt)
    try await other.reply(to: "REQ once")
    await bench.receiver.send(second: 1)
    _ = try await other.next("MSG fix/once")
    if isSentAgain {
      await bench.clock.pass(.milliseconds(5500))
      _ = try await other.next("MSG fix/once")
    } else {
      try await other.reply(to: "ACK 1")
      await bench.clock.pass(.seconds(2))
    }
    #expect(await bench.gateway.light == .inUse)
    await press()
    #expect(await bench.gateway.ownerStatus["last-press"] == "too-early")
    // The light asks again after the use, and the second before a press begins again.
    await bench.pass { $0.light != .inUse }
    #expect(await bench.gateway.light == .prompt)
    await press()
    #expect(await bench.gateway.ownerStatus["last-press"] == "too-early")
    #expect(await bench.answers.isEmpty)
    await bench.clock.pass(.seconds(1))
    await press()
    #expect(await bench.answers.map(\.choice) == [.once])
  }
}

/// Returns the button of the bench, and the button "side".
private func withSideButton(_ main: SimulatedButton, _ clock: BenchClock) -> [GatewayDependencies.Button] {
  [
    .init(profile: ButtonProfile(name: "main"), input: main),
    .init(profile: ButtonProfile(name: "side"), input: SimulatedButton(clock: clock.passing)),
  ]
}

@Test(.patient)
func `a question that only one of several buttons answers names this button`() async throws {
  var policy = Policy()
  policy.authorization.boundApps = ["side": [parks], "main": [AppID("other")!]]
  try await Bench(confirmed(), policy: policy, buttons: withSideButton).run { bench, app, owner in
    _ = try await app.reply(to: "AUTHORIZE when-in-use")
    await bench.clock.pass(.seconds(3))
    let prompts = try await owner.list("PROMPTS").joined()
    #expect(prompts.contains("Button side. Press: once. Hold: no."), "\(prompts)")
  }
}

@Test(.patient)
func `A9: the panel shows the waiting apps that have the mark of any button`() async throws {
  let other = try #require(AppID("other"))
  var policy = Policy()
  policy.authorization.boundApps = ["side": [other]]
  try await Bench(confirmed(["parks", "other", "third"]), policy: policy, buttons: withSideButton).run { bench in
    for name in ["parks", "other", "third"] {
      let app = try await bench.app(name)
      #expect(try await app.reply(to: "REQ once").hasPrefix("+OK"))
    }
    let waiting = await bench.gateway.snapshot(entries: 0).waiting
    #expect(waiting.map(\.app.name) == ["parks", "other", "third"])
    #expect(waiting.map(\.isNext) == [true, true, false])
  }
}

private let hour = Duration.seconds(3600)

extension Bench {
  fileprivate func status() async -> AuthorizationStatus { await gateway.status(of: parks) }

  fileprivate var ends: [LogEntry.Event] {
    get async { await log.map(\.event).filter { if case .rightEnd = $0 { true } else { false } } }
  }
}

@Test(.patient)
func `D6: an owner allows an app for a time; the app, the owners and the log are told of the end`() async throws {
  try await Bench(confirmed()).run { bench, app, owner in
    _ = try await app.reply(to: "SUB authorization a")
    #expect(try await owner.reply(to: "SET parks status always for=3600") == "+OK")
    let end = bench.clock.reading.utc(at: bench.clock.now + hour).iso8601
    let listed = try #require(try await owner.list("APPS").first)
    #expect(listed.contains(#""until":"\#(end)","then":"when-i-share""#), "\(listed)")
    #expect(try await app.next { $0.contains(#""until":"\#(end)""#) }.contains(#""status":"always""#))
    await bench.clock.pass(hour - .seconds(1))
    #expect(await bench.status() == .always)
    await bench.clock.pass(.seconds(1))
    #expect(await bench.status() == .notDetermined)
    #expect(await bench.ends == [.rightEnd(of: .always, .notDetermined)])
    #expect(
      try await owner.next { $0.contains("owner/notification") }
        .contains(#""event":"right-ended","shown":"when-i-share""#))
    #expect(try await app.next { $0.contains(#""status":"notDetermined""#) }.contains("until") == false)
  }
}

@Test(
  .patient,
  arguments: [
    (.notDetermined, "denied for=3600"), (.notDetermined, "notDetermined for=3600"),
    (.notDetermined, "whenInUse for=59"), (.notDetermined, "always for=2592001"), (.notDetermined, "always for=2h"),
    (.always, "whenInUse for=3600"),
  ] as [(AuthorizationStatus, String)])
func `D6: the gateway refuses an end that has no meaning, or is out of range, or of a right without an end`(
  status: AuthorizationStatus, words: String
) async throws {
  try await Bench([record(status)]).run { bench in
    let owner = try await bench.owner()
    let reply = try await owner.reply(to: "SET parks status \(words)")
    #expect(reply.hasPrefix("-ERR 405 ") && reply.contains("without an end") == (status == .always), "\(reply)")
    #expect(await bench.status() == status)
  }
}

@Test(.patient)
func `D6: a right ends while the machine is suspended, before the next input has an effect`() async throws {
  try await Bench(confirmed()).run { bench in
    let owner = try await bench.owner()
    _ = try await owner.reply(to: "SET parks status always for=3600")
    bench.clock.suspend(hour)
    let listed = try #require(try await owner.list("APPS").first)
    #expect(listed.contains(#""status":"notDetermined""#), "\(listed)")
    #expect(await bench.ends.count == 1)
    // Without an input, the gateway notices a suspension within 30 s.
    _ = try await owner.reply(to: "SET parks status always for=3600")
    bench.clock.suspend(hour)
    await bench.clock.pass(.seconds(30))
    #expect(await bench.ends.count == 2)
  }
}

@Test(.patient) func `D6: a difference of the clocks counts as a suspension from more than 10 ms on`() async throws {
  try await Bench().run { bench in
    for (difference, suspended) in [
      (Duration.milliseconds(10), Duration.zero), (.nanoseconds(1), .milliseconds(10) + .nanoseconds(1)),
    ] {
      bench.clock.suspend(difference)
      await bench.gateway.handle(.timePassed)
      #expect(await bench.gateway.suspended == suspended)
    }
  }
}

@Test(.patient, arguments: [true, false])
func `D6: the end is saved again after a step of the wall clock of more than 1 s`(isForward: Bool) async throws {
  try await Bench(confirmed()).run { bench in
    let owner = try await bench.owner()
    _ = try await owner.reply(to: "SET parks status always for=3600")
    await bench.gateway.handle(.timePassed)
    let saved = await bench.gateway.rightWrites
    for (step, count) in [(Duration.seconds(1), saved), (.nanoseconds(1), saved + 1)] {
      bench.clock.set(bench.clock.reading.utc(at: bench.clock.now + (isForward ? step : .zero - step)))
      await bench.gateway.handle(.timePassed)
      #expect(await bench.gateway.rightWrites == count)
    }
  }
}

@Test(.patient, arguments: [-86_400, 86_400]) func `D6: a change of the wall clock does not move the end`(seconds: Int)
  async throws
{
  try await Bench(confirmed()).run { bench in
    let owner = try await bench.owner()
    _ = try await owner.reply(to: "SET parks status always for=3600")
    bench.clock.set(bench.clock.reading.utc(at: bench.clock.now + .seconds(seconds)))
    await bench.clock.pass(hour - .seconds(1))
    #expect(await bench.status() == .always)
    // The end is saved again with the new time of the wall clock.
    let end = bench.clock.reading.utc(at: bench.clock.now + .seconds(1))
    #expect(try await owner.list("APPS").first?.contains(end.iso8601) == true)
    await bench.clock.pass(.seconds(1))
    #expect(await bench.status() == .notDetermined)
  }
}

@Test(.patient, arguments: [true, false])
func `D6: after another boot the right goes on only if the wall clock is right`(isWallClockSet: Bool) async throws {
  let folder = try TemporaryDirectory()
  let bench = try await Bench(confirmed(), in: folder)
  let owner = try await bench.owner()
  _ = try await owner.reply(to: "SET parks status always for=3600")
  await bench.stop()
  let again = try await Bench(in: folder, boot: "2", isWallClockSet: isWallClockSet)
  #expect(await again.status() == (isWallClockSet ? .always : .notDetermined))
  #expect(await again.ends.count == (isWallClockSet ? 0 : 1))
  if isWallClockSet {
    await again.clock.pass(hour)
    #expect(await again.status() == .notDetermined)
    #expect(await again.ends.count == 1)
  }
  await again.stop()
}

@Test(.patient, arguments: [FixAccuracy.reduced, .place])
func `D1: the accuracy that the configuration lowers at a start stays low after a start without it`(lower: FixAccuracy)
  async throws
{
  let folder = try TemporaryDirectory()
  /// Returns the saved accuracy after a start with an accuracy in the configuration.
  func savedAccuracy(_ records: [AppRecord] = [], configured: FixAccuracy?) async throws -> FixAccuracy? {
    var policy = Policy()
    policy.authorization.newAppAccuracy[parks] = configured
    let bench = try await Bench(records, in: folder, policy: policy)
    await bench.stop()
    return try bench.stored { try $0.load(now: bench.clock.reading).apps.first?.accuracy }
  }
  #expect(try await savedAccuracy([record(.always)], configured: nil) == .full)
  #expect(try await savedAccuracy(configured: lower) == lower)
  #expect(try await savedAccuracy(configured: .full) == lower)
}

@Test(.patient)
func `D1: a new configuration that lowers the accuracies of many apps saves them in one write`() async throws {
  let names = (0..<20).map { "app\($0)" }
  try await Bench(confirmed(names)).run { bench in
    var configuration = Authorization.Configuration()
    for app in names.compactMap({ AppID($0) }) { configuration.newAppAccuracy[app] = .reduced }
    let before = await bench.gateway.rightWrites
    await bench.gateway.handle(.ordered(.configure(configuration)))
    #expect(await bench.gateway.rightWrites == before + 1)
    #expect(await bench.gateway.accuracies == [.reduced])
  }
}

extension Gateway {
  fileprivate var light: Indication { router.disclosures.indicator.shown }

  fileprivate var suspended: Duration { router.authorization.suspended }

  fileprivate var rightWrites: Int { router.disclosures.log.writes["right"]?.count ?? 0 }

  fileprivate var accuracies: Set<FixAccuracy> { Set(router.authorization.records.values.map(\.accuracy)) }
}

@Test(.patient)
func `after a restart, an answer with the number of a former question answers no question`() async throws {
  let folder = try TemporaryDirectory()
  try await Bench(in: folder).run { bench, app, owner in
    try await app.reply(to: "AUTHORIZE when-in-use")
    #expect(try await owner.next("MSG owner/prompt").contains(#""prompt":1,"#))
  }
  try await Bench(in: folder).run { bench, app, owner in
    try await app.reply(to: "AUTHORIZE when-in-use")
    _ = try await owner.next("MSG owner/prompt")
    #expect(try await owner.reply(to: "ANSWER 1 once").hasPrefix("-ERR 422"))
  }
}

@Test(.patient)
func `on a simulated board, the end of all pauses lets an app ask again at once`() async throws {
  var paused = record(.notDetermined)
  paused.promptPause = PromptPause(until: MonotonicInstant(nanoseconds: 1 << 60), length: .seconds(600))
  try await Bench([paused]).run { bench in
    let app = try await bench.app()
    try await app.reply(to: "AUTHORIZE when-in-use")
    #expect(await bench.gateway.ownerStatus["prompt"] == nil)
    try await bench.gateway.endPauses()
    try await app.reply(to: "AUTHORIZE when-in-use")
    #expect(await bench.gateway.ownerStatus["prompt"] == "1")
  }
}
