import LineProtocol
import Base
import Requirements
import Synchronization
import Testing

@testable import Gateway

@Test func `the commands of an app's sessions share one budget, which is independent of other apps`() throws {
  let (crowd, other) = (try #require(AppID("crowd")), try #require(AppID("other")))
  let limiter = CommandLimiter()
  let start = MonotonicInstant(nanoseconds: 0)
  func taken(_ app: AppID, of count: Int, at now: MonotonicInstant) -> Int {
    (0..<count).count { _ in limiter.consume(app, at: now) }
  }
  // 1024 sessions of 50 commands each.
  #expect(taken(crowd, of: 51_200, at: start) == 4096)
  #expect(taken(other, of: 50, at: start) == 50)
  #expect(taken(crowd, of: 51_200, at: start + .seconds(1)) == 400)
  #expect(taken(crowd, of: 51_200, at: start + .seconds(3600)) == 4096)
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
  let (crowd, other) = (try #require(AppID("crowd")), try #require(AppID("other")))
  let limiter = CommandLimiter()
  let inside = Inside()
  await limiter.beginTurn(of: crowd)
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<50 {
      group.addTask {
        await limiter.beginTurn(of: crowd)
        inside.enter()
        await Task.yield()
        inside.leave()
        limiter.endTurn(of: crowd)
      }
    }
    await limiter.beginTurn(of: other)
    limiter.endTurn(of: other)
    #expect(inside.all == 0)
    limiter.endTurn(of: crowd)
  }
  #expect(inside.most == 1)
  #expect(inside.all == 50)
  // No command and no turn stays in the queue.
  await limiter.beginTurn(of: crowd)
}
