import Base
import LineProtocol
import Ports
import RecordingClients
import StateStore
import Testing

@testable import Authorization
@testable import Disclosure

/// One-time fixes: how fresh they are, and how they are delivered.
@Suite struct OnceTests {
  /// A fix's arrival, the time of the disclosure, the maximum age in milliseconds, and whether the fix is disclosed. Times
  /// are counted from the release of the press, which took 100 ms, or else from the request.
  static let freshness: [(isByPress: Bool, arrived: Duration, now: Duration, maximumAge: Int?, isFresh: Bool)] = [
    // An epoch more than 2 s before the press gives no fix.
    (true, .milliseconds(-2100), .milliseconds(1), nil, true),
    (true, .milliseconds(-2101), .milliseconds(1), nil, false),
    (true, .milliseconds(-2101), .milliseconds(1), 60_000, false),
    // The app can only be stricter.
    (true, .milliseconds(-400), .milliseconds(500), 1000, true),
    (true, .milliseconds(-500), .milliseconds(500), 1000, true),
    (true, .milliseconds(-501), .milliseconds(500), 1000, false),
    (true, .milliseconds(-1), .seconds(5), 1000, false),
    // An epoch after the release is as fresh as possible.
    (true, .zero, .seconds(5), 1000, true), (true, .seconds(1), .seconds(30), 0, true),
    // A standing request accepts the last minute.
    (false, .seconds(-60), .seconds(1), nil, true),
    (false, .seconds(-60) - .nanoseconds(1), .seconds(1), nil, false),
    (false, .seconds(-2), .seconds(1), 2000, false), (false, .seconds(-1), .seconds(1), 2000, true),
    (false, .zero, .seconds(20), 0, true),
  ]

  @Test(arguments: freshness)
  func `a fix is as fresh as the press or the authorization, and the app, demand`(
    isByPress: Bool, arrived: Duration, now: Duration, maximumAge: Int?, isFresh: Bool
  ) throws {
    var scene = try Scene(isByPress: isByPress)
    let asked = isByPress ? release : start.monotonic - .seconds(9)
    scene.fix = SealedFix(arrived: asked + arrived)
    let time = start + (asked + now - start.monotonic)
    let failure = scene.failure(of: .once(try scene.once(OnceRequest(maximumAge: maximumAge))), at: time)
    #expect(failure == (isFresh ? nil : .pending))
    if !isFresh { #expect(scene.steps == []) }
  }

  @Test(arguments: [(true, true), (true, false), (false, true)])
  func `the fix of a client that polls is in the log, and is sent only when the client fetches it`(
    polledAtRequest: Bool, pollsNow: Bool
  ) throws {
    var scene = try Scene(transport: .gpsd, isPolled: pollsNow)
    scene.authorization.grants[RequestID(2)]?.isPolled = polledAtRequest
    // The client waits for no answer to a poll.
    scene.connection.isFull = true
    let delivery = try #require(scene.disclose(.once(try scene.once(qos: 0))).kept)
    #expect((delivery.request, delivery.entry, delivery.isKept) == (RequestID(2), 1, true))
    #expect(delivery.expires == start.monotonic + .seconds(10) && delivery.nextDeadline == delivery.expires)
    #expect(scene.sent.isEmpty)
    #expect(scene.failure(of: .redelivery(delivery, on: scene.connection), at: start + .seconds(3)) == .pending)
    scene.connection.isFull = false
    #expect(scene.failure(of: .redelivery(delivery, on: scene.connection), at: start + .seconds(10)) == .revoked)
    #expect(scene.sent.isEmpty)
    #expect(
      scene.failure(of: .redelivery(delivery, on: scene.connection), at: start + (.seconds(10) - .nanoseconds(1)))
        == nil)
    #expect(!scene.sent.isEmpty)
  }

  @Test func `the entry of a fix is returned for its outcome, with a delivery if the fix must be acknowledged`() throws
  {
    var scene = try Scene()
    #expect(scene.disclose(.once(try scene.once(qos: 0))).sent == 1)
    #expect(try #require(scene.lastMessage).id == nil)
    scene = try Scene()
    let delivery = try #require(scene.disclose(.once(try scene.once(qos: 1))).delivered)
    #expect((delivery.session, delivery.app, delivery.messageID, delivery.entry) == (session, a, 5, 1))
    #expect(delivery.expires == scene.grant?.expires)
  }

  @Test func `a fix that is sent again is marked, and is the same otherwise`() throws {
    var scene = try Scene()
    var delivery = try #require(scene.disclose(.once(try scene.once())).delivered)
    let before = try #require(scene.lastMessage)
    scene.journal.clear()
    delivery.passDeadline(at: start.monotonic + .seconds(5))
    #expect(scene.failure(of: .redelivery(delivery, on: scene.connection), at: start + .seconds(5)) == nil)
    var after = try #require(scene.lastMessage)
    #expect(after.isRedelivered && !before.isRedelivered)
    after.isRedelivered = false
    #expect(after == before)
  }

  @Test func `a fix without a press is held for 60 s after it was sent, whatever the timeout of the request`() throws {
    let sent = start.monotonic - .seconds(5)
    #expect(try Scene(isByPress: false).delivery().expires == sent + .seconds(60))
    #expect(try Scene().delivery().expires == release + .seconds(60))
  }

  /// The end of a standstill and the next deadline, both counted from the transmission. The deadline is nil if it is
  /// the end of the fix.
  static let standstills: [(end: Duration, next: Duration?)] = [
    (.seconds(5), .seconds(10)), (.seconds(10) - .nanoseconds(1), .seconds(10)), (.seconds(10), .seconds(20)),
    (.seconds(20), nil), (.seconds(50), nil),
  ]

  @Test(arguments: standstills)
  func `after a standstill a fix is due once for all the deadlines that have passed`(
    end: Duration, next: Duration?
  ) throws {
    var delivery = try Scene().delivery()
    let sent = start.monotonic - .seconds(5)
    delivery.resume()
    #expect(delivery.nextDeadline == sent + .seconds(5), "a client that is back does not move the deadline")
    delivery.passDeadline(at: sent + end)
    #expect(delivery.nextDeadline == next.map { sent + $0 } ?? delivery.expires)
  }

  @Test func `only a client of gpsd receives the satellites in view, and those of no reckoned position`() throws {
    for (transport, isCoasted) in [(Transport.unix, false), (.gpsd, false), (.gpsd, true)] {
      var scene = try Scene(transport: transport)
      scene.fix = SealedFix(arrived: start.monotonic - .milliseconds(500), isCoasted: isCoasted)
      #expect(scene.failure(of: try scene.request(.once)) == nil)
      #expect(scene.failure(of: try scene.request(.update)) == nil)
      let count = scene.sent.split(separator: "\n").count { $0.contains(#""sky":"#) }
      #expect(count == (transport == .gpsd && !isCoasted ? 2 : 0))
    }
  }
}
