import Authorization
import Base
import ControlledBoard
import Disclosure
import LineProtocol
import OperatingSystem
import Ports
import RecordingClients
import Requirements
import StateStore
import Synchronization
import Testing

@testable import Gateway

private let start = MonotonicInstant(nanoseconds: 0)
private let busy = AppID("busy")!
private let other = AppID("other")!

@Test func `requests without a press have a burst and a rate, separately for each app`() throws {
  var quota = LogQuota()
  func wait(_ app: AppID, isOnce: Bool = true, after seconds: Int = 0) -> Duration? {
    quota.wait(of: app, isOnce: isOnce, at: start + .seconds(seconds))
  }
  for _ in 0..<60 {
    #expect(wait(busy) == nil)
    let isLow = quota.consume(busy, isOnce: true, at: start)
    #expect(!isLow)
  }
  #expect(wait(busy) == .seconds(1))
  #expect(wait(busy, isOnce: false) == nil)
  #expect(wait(other) == nil)
  #expect(wait(busy, after: 1) == nil)
}

@Test func `the log entries of an app in a day are limited, and its owner is warned once before the limit`() throws {
  var quota = LogQuota()
  var (count, warnings) = (0, [Int]())
  // The maximum rate for a day.
  for second in 0..<86_400 {
    let now = start + .seconds(second)
    guard quota.wait(of: busy, isOnce: true, at: now) == nil else { continue }
    count += 1
    if quota.consume(busy, isOnce: true, at: now) { warnings.append(count) }
  }
  // 10,000 entries at once, and the entries of a day without its last second.
  #expect(count == 19_999)
  let end = start + .seconds(86_400)
  // Here 20 % of the entries are left.
  #expect(warnings == [9047])
  #expect(quota.lowApps(at: end) == [busy])
  while quota.wait(of: busy, isOnce: false, at: end) == nil { _ = quota.consume(busy, isOnce: false, at: end) }
  let waits = [busy, other].map { quota.wait(of: $0, isOnce: false, at: end) }
  #expect(waits[0] != nil && waits[1] == nil)
  #expect(quota.lowApps(at: end + .seconds(86_400)) == [])
}

@Test(.patient, arguments: [AuthorizationStatus.always, .whenInUse])
func `an app with a standing right that sends requests without end is refused with 430, and a press still serves it`(
  status: AuthorizationStatus
) async throws {
  try await Bench(confirmed(["parks", "other"])).run { bench in
    // Two sessions, because a connection accepts 50 commands at once.
    var clients: [Talker] = []
    for _ in 0..<2 {
      clients.append(try await bench.app())
    }
    await bench.gateway.handle(.ordered(.setStatus(parks, status)))
    await bench.gateway.handle(.ordered(.use(parks)))
    await bench.receiver.send(second: 30)
    await bench.until { $0.router.receiver.latest != nil }
    var (refusal, served) = ("", 0)
    while refusal.isEmpty, served < 1000 {
      let reply = try await clients[served % 2].reply(to: "REQ once")
      if reply == "+OK state=acquiring" { served += 1 } else { refusal = reply }
    }
    #expect(
      refusal.contains(#/^-ERR 430 rate-limited retry-after=\d+ :this app has caused too many entries in the log/#),
      "\(refusal)")
    if status == .whenInUse {
      // A new session is not in use, and needs a press.
      #expect(try await bench.app().reply(to: "REQ once") == "+OK state=awaiting-press")
    } else {
      #expect(try await clients[0].reply(to: "REQ once press=required") == "+OK state=awaiting-press")
    }
    let log = await bench.gateway.snapshot(entries: 10_000).log
    #expect(log.count { if case .disclosure = $0.event { true } else { false } } == served)
  }
}

@Test func `the commands of an app's sessions share one budget, which is independent of other apps`() throws {
  let limiter = CommandLimiter()
  func taken(_ app: AppID, of count: Int, at now: MonotonicInstant) -> Int {
    (0..<count).count { _ in limiter.consume(app, at: now) }
  }
  // 1024 sessions of 50 commands each.
  #expect(taken(busy, of: 51_200, at: start) == 4096)
  #expect(taken(other, of: 50, at: start) == 50)
  #expect(taken(busy, of: 51_200, at: start + .seconds(1)) == 400)
  #expect(taken(busy, of: 51_200, at: start + .seconds(3600)) == 4096)
}

/// The number of commands that run at the same time.
private final class Inside: Sendable {
  private let counts = Mutex((now: 0, most: 0, all: 0))

  func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) } }
  func leave() { counts.withLock { $0.now -= 1 } }

  var most: Int { counts.withLock { $0.most } }
  var all: Int { counts.withLock { $0.all } }
}

@Test(.patient)
func `an app has one command in the gateway at a time, in order of arrival, and does not wait for other apps`()
  async throws
{
  let limiter = CommandLimiter()
  let inside = Inside()
  await limiter.beginTurn(of: busy)
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<50 {
      group.addTask {
        await limiter.beginTurn(of: busy)
        inside.enter()
        await Task.yield()
        inside.leave()
        limiter.endTurn(of: busy)
      }
    }
    await limiter.beginTurn(of: other)
    limiter.endTurn(of: other)
    #expect(inside.all == 0)
    limiter.endTurn(of: busy)
  }
  #expect(inside.most == 1)
  #expect(inside.all == 50)
  // No command and no turn stays in the queue.
  await limiter.beginTurn(of: busy)
}

@Test(.patient)
func `a client that has sent too many commands can still cancel its request`() async throws {
  try await Bench(confirmed()).run { bench, talker in
    #expect(try await talker.reply(to: "@r REQ once") == "+OK @r state=awaiting-press")
    // The gateway does not perform the first command beyond the limit of 50 commands, and 20 in each second.
    await talker.send(String(repeating: "PING\n", count: 1000))
    _ = try await talker.next("-ERR 430 rate-limited")
    await talker.send("@c CANCEL\n")
    #expect(try await talker.next { $0.contains("@c") } == "+OK @c")
    #expect(await bench.gateway.waitingCount == 0)
  }
}

@Test func `an app whose sessions together have sent too many commands can still cancel its request`() async throws {
  try await Bench(confirmed()).run { bench in
    let (lines, received) = AsyncStream.makeStream(of: ServerLine.self)
    let connection = RecordingConnection { call in if case .line(let line) = call { received.yield(line) } }
    await bench.gateway.open(on: connection)
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@r", on: connection)
    // No token returns before this time.
    let later = SystemClock.monotonic + .seconds(3600)
    while bench.gateway.limiter.consume(parks, at: later) {}
    // Commands beyond the limit return after a pause, which this test does not wait for.
    let tasks = [(Command.status, "@s"), (.cancel, "@c")].map { command, tag in
      Task { await bench.gateway.perform(command, tag: tag, on: connection) }
    }
    var replies: [String: String] = [:]
    for await line in lines {
      switch line {
      case .ok(let tag?, _): replies[tag] = "ok"
      case .error(let error, let tag?, _): replies[tag] = error.code.slug
      default: break
      }
      if replies.count == 3 { break }
    }
    for task in tasks { task.cancel() }
    #expect(replies == ["@r": "ok", "@s": "rate-limited", "@c": "ok"])
    #expect(await bench.gateway.waitingCount == 0)
  }
}
