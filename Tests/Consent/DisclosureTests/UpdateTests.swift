import Authorization
import Base
import GNSS
import LineProtocol
import NIOCore
import Ports
import RecordingClients
import StateStore
import Testing

@testable import Disclosure

/// Updates: when a fix is due, and the interval of the log.
@Suite struct UpdateTests {
  private func intervals(_ scene: Scene) -> Int {
    scene.steps.count { if case .openInterval = $0 { true } else { false } }
  }

  // MARK: The interval of the log

  @Test func `the interval is opened once, and again after it was closed`() throws {
    var scene = try Scene()
    let stream = scene.stream()
    for second in 0..<3 {
      let now = start + .seconds(second)
      scene.fix = SealedFix(arrived: now.monotonic)
      #expect(scene.sent(to: stream, at: now) == .full)
    }
    #expect((intervals(scene), stream.entry, stream.count) == (1, 1, 3))
    stream.close()
    scene.fix = SealedFix(arrived: start.monotonic + .seconds(3))
    #expect(scene.sent(to: stream, at: start + .seconds(3)) == .full)
    #expect((intervals(scene), stream.entry, stream.count) == (2, 2, 1))
  }

  @Test func `while no interval may be opened nothing is logged or sent`() throws {
    var scene = try Scene()
    #expect(scene.failure(of: .update(scene.update(mayOpen: false))) == .pending)
    #expect(intervals(scene) == 0 && !scene.hasBytes)
    let stream = scene.stream()
    #expect(scene.sent(to: stream) == .full)
    scene.fix = SealedFix(arrived: start.monotonic + .seconds(1))
    #expect(scene.sent(to: stream, mayOpen: false, at: start + .seconds(1)) == .full)
  }

  @Test func `a stream gets no fix by the right of later updates of its session`() throws {
    var scene = try Scene()
    let former = scene.stream()
    #expect(scene.sent(to: former) == .full)
    _ = scene.authorization.handle(.stopped(session), at: start.monotonic)
    _ = scene.authorization.handle(.started(RequestID(3), session, background: false), at: start.monotonic)
    scene.fix = SealedFix(arrived: start.monotonic + .seconds(1))
    scene.journal.clear()
    // One stream had a fix by its own right, the other had none.
    for stream in [former, scene.stream()] {
      #expect(scene.failure(of: .update(scene.update(stream)), at: start + .seconds(1)) == .revoked)
    }
    #expect(scene.steps == [])
    let later = UpdateStream(RequestID(3), session, of: a, UpdatesRequest())
    #expect(scene.sent(to: later, at: start + .seconds(1)) == .full)
  }

  @Test func `a stream awaits its first fix until the authorization records that this fix was sent`() throws {
    var scene = try Scene()
    let stream = scene.stream()
    #expect(!stream.isFirstFixAwaited && stream.count == 0)
    #expect(scene.sent(to: stream) == .full)
    #expect(stream.isFirstFixAwaited && stream.count == 1)
    _ = scene.authorization.handle(.served(stream.request), at: start.monotonic)
    scene.fix = SealedFix(arrived: start.monotonic + .seconds(1))
    #expect(scene.sent(to: stream, at: start + .seconds(1)) == .full)
    #expect(!stream.isFirstFixAwaited && stream.count == 2)
  }

  @Test(arguments: [FixAccuracy.full, .reduced])
  func `an update goes out under each subscription, with one entry`(accuracy: FixAccuracy) throws {
    var scene = try Scene(.always, accuracy)
    let now = accuracy == .full ? start : try scene.putNodeInForce()
    #expect(scene.failure(of: .update(scene.update(sids: ["1", "2"])), at: now) == nil)
    #expect(scene.sent.matches(of: /updates ([0-9])/).map { $0.1 } == ["1", "2"])
    #expect(intervals(scene) == 1)
  }

  // MARK: When a fix is due

  /// The interval in milliseconds, the time from one fix to the next, and whether the next is due.
  static let dueTimes: [(interval: Int?, after: Duration, isDue: Bool)] = [
    (nil, .zero, false), (nil, .nanoseconds(1), true), (1000, .milliseconds(899), false),
    (1000, .milliseconds(900), true), (10_000, .milliseconds(9899), false), (10_000, .milliseconds(9900), true),
    (100, .milliseconds(89), false), (100, .milliseconds(90), true),
  ]

  @Test(arguments: dueTimes)
  func `an update is due when its interval has passed, by a tenth of it or 100 ms sooner`(
    interval: Int?, after: Duration, isDue: Bool
  ) throws {
    var scene = try Scene()
    let stream = scene.stream(UpdatesRequest(interval: interval))
    #expect(scene.sent(to: stream) == .full)
    let arrived = try #require(scene.fix).arrived + after
    scene.fix = SealedFix(arrived: arrived)
    #expect(scene.sent(to: stream, at: start + after) == (isDue ? .full : nil))
  }

  @Test(arguments: [(100, 99.0, false), (100, 101, true), (1, 0, false), (0, 0, true)])
  func `an update is due when the app has moved far enough`(distance: Int, metres: Double, isDue: Bool) throws {
    var scene = try Scene()
    let stream = scene.stream(UpdatesRequest(distance: distance))
    #expect(scene.sent(to: stream) == .full)
    scene.fix = SealedFix(Coordinate.here.moved(north: metres), arrived: start.monotonic + .seconds(1))
    #expect(scene.sent(to: stream, at: start + .seconds(1)) == (isDue ? .full : nil))
    #expect(stream.count == (isDue ? 2 : 1))
  }

  @Test func `updates do not begin with an epoch from before the authorization`() throws {
    var scene = try Scene()
    let notBefore = try #require(scene.authorization.updates[session]).notBefore
    scene.fix = SealedFix(arrived: notBefore - .nanoseconds(1))
    #expect(scene.failure(of: try scene.request(.update)) == .pending)
    scene.fix = SealedFix(arrived: notBefore)
    #expect(scene.failure(of: try scene.request(.update)) == nil)
  }

  @Test func `connections share one encoded line of a fix if its subscription and instant are the same`() {
    var encoded = EncodedUpdates()
    let (now, fix) = (start.monotonic, SealedFix(arrived: start.monotonic))
    let (app, watcher) = (RecordingConnection(1), RecordingConnection(2, transport: .gpsd))
    func address(_ line: UpdateLine) -> UInt? {
      unsafe line.bytes.withUnsafeReadableBytes { bytes in unsafe bytes.baseAddress.map { UInt(bitPattern: $0) }
      }
    }
    let first = encoded.line(of: fix, "1", for: app, at: now)
    let other = encoded.line(of: fix, "2", for: app, at: now)
    #expect(first.sid == "1" && other.sid == "2" && first.bytes != other.bytes)
    // A client of gpsd gets the satellites, and no other client gets its line.
    let watched = encoded.line(of: fix, "1", for: watcher, at: now)
    #expect(String(buffer: watched.bytes).contains(#""sky":"#))
    for line in [first, other] {
      let shared = encoded.line(of: fix, line.sid, for: app, at: now)
      #expect(address(shared) == address(line))
    }
    // Another fix has another line, although it is disclosed at the same instant, and another instant has another age.
    let moved = SealedFix(Coordinate.here.moved(north: 100), arrived: now - .milliseconds(1))
    let next = encoded.line(of: moved, "1", for: app, at: now)
    #expect(String(buffer: next.bytes).contains(moved.json(moved.report(disclosed: now), for: .unix)))
    let late = encoded.line(of: moved, "1", for: app, at: now + .seconds(1))
    #expect(String(buffer: late.bytes).contains(#""age_ms":1001"#))
  }

  // MARK: Approximate updates

  /// A stream that got its first approximate update, and the instant of the next one.
  private func approximate(_ options: UpdatesRequest = UpdatesRequest()) throws -> (Scene, UpdateStream, ClockReading) {
    var scene = try Scene(.always, .reduced)
    let first = try scene.putNodeInForce()
    let stream = scene.stream(options)
    #expect(scene.sent(to: stream, at: first) == .reduced)
    return (scene, stream, first + (try #require(stream.nextQuarterHour) - first.monotonic))
  }

  @Test func `approximate updates come at once, and then at quarter hours, and show these`() throws {
    var (scene, stream, due) = try approximate()
    #expect(due.utc.nanosecondsSince1970 % 900_000_000_000 == 0)
    #expect(scene.sent(to: stream, at: due + .nanoseconds(-1)) == nil)
    #expect(scene.sent(to: stream, at: due) == .reduced)
    #expect(stream.nextQuarterHour == due.monotonic + .seconds(900))
    #expect(intervals(scene) == 1)
    // The memory of the cloak is durable before each fix: with the entry, or by itself.
    #expect(scene.steps.contains(.openInterval(scene.entry(.reduced), isSealing: true)))
    #expect(scene.steps.suffix(2).first == .seal)
    #expect(scene.sent.contains(String(due.utc.iso8601.prefix(16))))
  }

  @Test func `an approximate update whose memory cannot be saved is not sent`() throws {
    var (scene, stream, due) = try approximate()
    scene.journal.clear()
    scene.log.failing = [.memory]
    #expect(scene.failure(of: .update(scene.update(stream)), at: due) == .store(scene.log.failure.description))
    #expect(!scene.hasBytes)
  }

  @Test func `an approximate position that did not move far enough is not sent, and the quarter hour passes`() throws {
    var (scene, stream, due) = try approximate(UpdatesRequest(distance: 100))
    scene.journal.clear()
    #expect(scene.sent(to: stream, at: due) == nil)
    #expect(stream.nextQuarterHour == due.monotonic + .seconds(900))
    #expect(!scene.hasBytes && stream.count == 1)
  }
}
