import Authorization
import LineProtocol
import Base
import ControlledBoard
import Disclosure
@testable import Gateway
import Requirements
import StateStore
import Testing

private let start = MonotonicInstant(nanoseconds: 0)

@Test func `requests without a press have a burst and a rate, separately for each app`() throws {
  let (busy, other) = (try #require(AppID("busy")), try #require(AppID("other")))
  var quota = LogQuota()
  func wait(_ app: AppID, isOnce: Bool = true, after seconds: Int = 0) -> Duration? {
    quota.wait(of: app, isOnce: isOnce, at: start + .seconds(seconds))
  }
  for _ in 0..<LogQuota.requestsAtOnce {
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
  let (busy, other) = (try #require(AppID("busy")), try #require(AppID("other")))
  var quota = LogQuota()
  var (count, warnings) = (0, [Int]())
  // The maximum rate for a day.
  for second in 0..<86_400 {
    let now = start + .seconds(second)
    guard quota.wait(of: busy, isOnce: true, at: now) == nil else { continue }
    count += 1
    if quota.consume(busy, isOnce: true, at: now) { warnings.append(count) }
  }
  #expect((19_999...20_000).contains(count))
  let end = start + .seconds(86_400)
  #expect(warnings.count == 1 && warnings[0] < 10_000)
  #expect(quota.lowApps(at: end) == [busy])
  while quota.wait(of: busy, isOnce: false, at: end) == nil { _ = quota.consume(busy, isOnce: false, at: end) }
  let waits = [busy, other].map { quota.wait(of: $0, isOnce: false, at: end) }
  #expect(waits[0] != nil && waits[1] == nil)
  #expect(quota.lowApps(at: end + .seconds(86_400)) == [])
}

@Test(.patient)
func `an app with a standing right that sends requests without end is refused with 430, and a press still serves it`()
  async throws
{
  try await Bench(confirmed(["parks", "other"])).run { bench in
    // Two sessions, because a connection accepts 50 commands at once.
    var clients: [Talker] = []
    for _ in 0..<2 {
      clients.append(try await bench.app())
    }
    await bench.gateway.handle(.ordered(.setStatus(parks, .always)))
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
    #expect(try await clients[0].reply(to: "REQ once press=required") == "+OK state=awaiting-press")
    let log = await bench.gateway.snapshot(entries: 10_000).log
    #expect(log.count { if case .disclosure = $0.event { true } else { false } } == served)
  }
}
