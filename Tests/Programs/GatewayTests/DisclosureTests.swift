import Authorization
import Base
import ControlledBoard
import Hardware
import LineProtocol
import OneFixClient
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import Synchronization
import Testing

@testable import Gateway

/// A request, the notifications of its presses, and its outcome.
final class Asking: Sendable {
  let outcome: Task<FixReport, any Error>
  let news: AsyncStream<OneFixClient.PressNotification>

  init(_ client: OneFixClient, _ options: OnceRequest = OnceRequest()) async {
    let (armed, isArmed) = AsyncStream.makeStream(of: Void.self)
    let (news, told) = AsyncStream.makeStream(of: OneFixClient.PressNotification.self)
    self.news = news
    outcome = Task {
      // A refused request is never armed, and gets no notification.
      defer {
        isArmed.finish()
        told.finish()
      }
      return try await client.requestOnce(options) {
        isArmed.yield()
      } pressed: { news in
        told.yield(news)
      }
    }
    for await _ in armed { break }
  }

  func nextNews() async -> OneFixClient.PressNotification? {
    for await news in news { return news }
    return nil
  }

  func refusal() async -> ErrorCode? {
    do {
      _ = try await outcome.value
      return nil
    } catch let error as ClientError {
      return error.refusal?.code
    } catch {
      return .internal
    }
  }
}

@Test(.patient)
func `an indicator that its sense input does not confirm prevents disclosures until it is confirmed`() async throws {
  try await Bench(confirmed()).run { bench in
    bench.indicator.fault = .dark
    let client = try await bench.client("parks")
    // The sense input can show the fault only after the indicator is switched on: the press is granted, and the fix is
    // withheld.
    let first = await Asking(client)
    await bench.pressInTime()
    await bench.receiver.send(second: 1)
    await bench.clock.pass(IndicatorDriver.senseTime)
    #expect(await first.refusal() == .indicator)
    // From then on a press is not granted until the sense input confirms the indicator.
    let second = await Asking(client)
    await bench.clock.pass(.milliseconds(1700))
    await bench.pressInTime()
    #expect(await second.nextNews() == .unauthorized("indicator-dark"))
    #expect(await bench.log.isEmpty)
    bench.indicator.fault = nil
    repeat { await bench.pressInTime() } while await second.nextNews() != .authorized
    await bench.receiver.send(second: 2)
    _ = try await second.outcome.value
  }
}

@Test(.patient)
func `a stream counts as a request without a fix only if the app stops the stream before its first fix`() async throws {
  try await Bench([record(.always)]).run { bench, app, owner in
    try await app.reply(to: "START updates")
    try await app.reply(to: "STOP updates")
    let counts = try await owner.list("COUNTS")
    #expect(counts.count == 1 && counts.first?.contains(#""answer":"cancelled","count":1"#) == true, "\(counts)")
    try await app.reply(to: "START updates")
    await bench.receiver.send(second: 30)
    _ = try await app.next("MSG fix/updates")
    try await app.reply(to: "STOP updates")
    let later = try await owner.list("COUNTS")
    #expect(later == counts)
  }
}

@Test(.patient)
func `every epoch that a busy machine reads at once is disclosed`() async throws {
  try await Bench(confirmed()).run { bench in
    await bench.gateway.handle(.ordered(.setStatus(parks, .always)))
    let app = try await bench.app()
    try await app.reply(to: "SUB fix/updates u")
    try await app.reply(to: "START updates")
    @Sendable func updates(_ received: [String]) -> Int { received.count { $0.hasPrefix("MSG fix/updates") } }
    // The last epoch is complete when no data follows it.
    await bench.receiver.send(seconds: 1..<11)
    try await app.until { updates($0) >= 10 }
    await bench.receiver.send(second: 11)
    try await app.until { updates($0) >= 11 }
    try await app.reply(to: "STOP")
    #expect(await updates(app.received) == 11)
  }
}

@Test(.patient)
func `after the end of a right no fix is sent, even if the gateway's alarm is late`() async throws {
  try await Bench(confirmed()).run { bench in
    await bench.gateway.handle(.ordered(.setStatus(parks, .whenInUse)))
    let app = try await bench.app()
    await bench.gateway.handle(.ordered(.use(parks)))
    try await app.reply(to: "SUB fix/updates u")
    try await app.reply(to: "START updates")
    await bench.receiver.send(second: 1)
    _ = try await app.next("MSG fix/updates")
    bench.clock.pass(withoutAlarms: Authorization.Bounds.useMax)
    // The third epoch completes the second one. So the gateway has a new fix before any alarm.
    bench.receiver.read(seconds: 2..<4)
    await bench.gateway.answer()
    await bench.clock.pass(.milliseconds(500))
    _ = try await app.next("-ERR")
    #expect(await app.received("MSG fix/updates").count == 1)
  }
}

@Test(.patient, arguments: [false, true])
func `a press before the end of a right gives a fix, and no fix after the end`(isLate: Bool) async throws {
  try await Bench(confirmed()).run { bench in
    await bench.gateway.handle(.ordered(.setStatus(parks, .denied)))
    await bench.gateway.handle(.ordered(.setStatus(parks, .whenInUse, for: .seconds(60))))
    let app = try await bench.app()
    try await app.reply(to: "SUB fix/once o")
    #expect(try await app.reply(to: "REQ once press=required") == "+OK state=awaiting-press")
    await bench.receiver.send(second: 57)
    await bench.until { $0.router.receiver.latest != nil }
    await bench.clock.pass(.milliseconds(1020))
    bench.button.down()
    await bench.clock.pass(.milliseconds(40))
    bench.button.up()
    guard isLate else {
      await bench.receiver.send(second: 58)
      _ = try await app.next("MSG fix/once")
      return
    }
    bench.clock.pass(withoutAlarms: .seconds(60))
    bench.button.confirmEdges()
    #expect(try await app.next("-ERR").hasPrefix("-ERR 422 expired :the authorization of the app has changed"))
    #expect(await app.received("MSG fix/once").isEmpty)
  }
}

/// A client of gpsd that gets its fix only when it polls. It waits for a press.
private final class Poller: Sendable {
  private final class Calls: Sendable {
    let all = Mutex<[RecordingConnection.Call]>([])
  }

  let connection: RecordingConnection
  private let bench: Bench
  private let calls = Calls()

  init(_ bench: Bench) async throws {
    self.bench = bench
    connection = RecordingConnection(7, transport: .gpsd, isPolled: true) { [calls] call in
      calls.all.withLock { $0.append(call) }
    }
    // No poll waits for its answer.
    connection.isFull = true
    await bench.gateway.open(on: connection)
    await bench.gateway.perform(.subscribe(try TopicFilter("fix/once"), sid: "s", qos: 0), tag: nil, on: connection)
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@r", on: connection)
  }

  /// Polls, and returns the fixes that the client has received so far.
  func poll() async -> [String] {
    connection.isFull = false
    await bench.gateway.polled(on: connection)
    connection.isFull = true
    return fixes
  }

  var fixes: [String] {
    calls.all.withLock { $0.compactMap { if case .once(let message, _) = $0 { message.json } else { nil } } }
  }

  /// The errors that ended the request of the client.
  var errors: [ErrorCode] {
    calls.all.withLock {
      $0.compactMap { if case .line(.error(let error, "@r"?, _)) = $0 { error.code } else { nil } }
    }
  }
}

extension Bench {
  /// Runs the body of a test with a client that polls, after a press for it at 07:31:01.
  fileprivate static func withPoller(_ body: (Bench, Poller) async throws -> Void) async throws {
    try await Bench(confirmed()).run { bench in
      let poller = try await Poller(bench)
      await bench.pressInTime()
      try await body(bench, poller)
    }
  }

  /// Sends the epochs of some seconds. The receiver moves to the north by a thousandth of a minute each second.
  fileprivate func receive(seconds: ClosedRange<Int>) async {
    for second in seconds {
      let time = second < 10 ? "0\(second)" : "\(second)"
      await receive(nmea("GNGGA,0731\(time).00,4722.6\(time),N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    }
  }
}

@Test(.patient)
func `a client that polls receives the fix of the press once, while the indicator is on`() async throws {
  try await Bench.withPoller { bench, poller in
    await bench.receive(seconds: 1...9)
    #expect(poller.fixes.isEmpty && poller.errors.isEmpty)
    #expect(await bench.disclosureCount == 1, "the entry is in the log before the fix is sent")
    #expect(await bench.outcomes == [])
    #expect(await bench.gateway.grantCount == 0, "the fix delays no press")
    #expect(!bench.indicator.isLit)
    let fixes = await poller.poll()
    #expect(bench.indicator.isLit)
    let latitude = try #require(fixes.last.flatMap { JSONValue($0.utf8)?["lat"]?.number })
    #expect(fixes.count == 1 && abs(latitude - (47 + 22.601 / 60)) < 2e-5, "it is the fix of the press")
    #expect(await bench.outcomes == [.sent])
    #expect(await poller.poll().count == 1)
    #expect(await bench.disclosureCount == 1 && poller.errors.isEmpty)
  }
}

@Test(.patient)
func `a poll that waits when the receiver has its fix is answered at once`() async throws {
  try await Bench.withPoller { bench, poller in
    #expect(await poller.poll().isEmpty)
    poller.connection.isFull = false
    await bench.receive(seconds: 1...1)
    #expect(poller.fixes.count == 1)
    #expect(await bench.outcomes == [.sent])
  }
}

@Test(.patient)
func `a fix that its client does not fetch in 10 s expires, and the client can wait again`() async throws {
  try await Bench.withPoller { bench, poller in
    await bench.receive(seconds: 1...11)
    #expect(await poller.poll().isEmpty)
    #expect(await bench.outcomes == [.expired])
    #expect(poller.errors == [.expired])
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@r", on: poller.connection)
    #expect(await bench.gateway.waitingCount == 1)
  }
}

@Test(.patient, arguments: ["deny", "accuracy", "lock", "cancel", "suspension", "end"])
func `the fix of a client that polls is erased with its right, its request and its session, and by a suspension`(
  change: String
) async throws {
  try await Bench.withPoller { bench, poller in
    await bench.receive(seconds: 1...2)
    switch change {
    case "deny": await bench.gateway.handle(.ordered(.setStatus(parks, .denied)))
    case "accuracy": await bench.gateway.handle(.ordered(.setAccuracy(parks, .reduced)))
    case "lock": await bench.gateway.handle(.lockOrdered)
    case "cancel": await bench.gateway.perform(.cancel, tag: nil, on: poller.connection)
    case "suspension":
      bench.clock.suspend(.seconds(3600))
      await bench.gateway.handle(.timePassed)
    default: await bench.gateway.closed(poller.connection, isFinal: true)
    }
    #expect(await bench.outcomes == [.erased])
    #expect(poller.errors == (change == "end" ? [] : [.expired]), "the request lasts until the client has its fix")
    #expect(await poller.poll().isEmpty)
    await bench.receive(seconds: 3...3)
    #expect(poller.fixes.isEmpty)
  }
}

/// Sends a fix to an app with a standing authorization, which does not acknowledge the fix.
private func sendUnacknowledged(_ bench: Bench) async -> RecordingConnection {
  let connection = RecordingConnection(1)
  await bench.receive(nmea("GNGGA,073101.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
  await bench.gateway.open(on: connection)
  await bench.gateway.perform(.requestOnce(OnceRequest()), tag: nil, on: connection)
  return connection
}

@Test(.patient, arguments: ["deny", "accuracy", "lock", "suspension", "goodbye", "lost connection"])
func `a sent fix without an acknowledgement is lost in the log, whatever ends its delivery`(end: String) async throws {
  try await Bench([record(.always)]).run { bench in
    let connection = await sendUnacknowledged(bench)
    #expect(await bench.disclosureCount == 1)
    switch end {
    case "deny": await bench.gateway.handle(.ordered(.setStatus(parks, .denied)))
    case "accuracy": await bench.gateway.handle(.ordered(.setAccuracy(parks, .reduced)))
    case "lock": await bench.gateway.handle(.lockOrdered)
    case "suspension":
      bench.clock.suspend(.seconds(3600))
      await bench.gateway.handle(.timePassed)
    case "goodbye": await bench.gateway.closed(connection, isFinal: true)
    default:
      await bench.gateway.closed(connection, isFinal: false)
      #expect(await bench.outcomes == [])
      await bench.clock.pass(.seconds(6))
    }
    #expect(await bench.outcomes == [.lost])
  }
}

@Test(.patient)
func `a sent fix without an acknowledgement is lost in the log after the stop of the gateway`() async throws {
  let bench = try await Bench([record(.always)])
  _ = await sendUnacknowledged(bench)
  await bench.stop()
  let events = try bench.stored { try $0.entries(newestFirst: false, limit: 10).map(\.event) }
  guard events.count == 2, case .outcome(.lost, _) = events[1] else { throw Missing() }
}

@Test(.patient, arguments: [0, 6, 7, 8])
func `an estimated, manually entered or simulated position is never disclosed as a fix`(quality: Int) async throws {
  try await Bench(confirmed()).run { bench in
    await bench.receiver.send(second: 1, quality: quality)
    let asking = await Asking(try await bench.client("parks"))
    await bench.pressInTime()
    await bench.receiver.send(second: 2, quality: quality)
    #expect(await asking.nextNews() == .authorized)
    await bench.receiver.send(second: 3)
    #expect(try await asking.outcome.value.quality == .autonomous)
  }
}
