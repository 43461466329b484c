import Base
import Hardware
import LineProtocol
import NIOCore
import NIOPosix
import Ports
import RecordingClients
import Synchronization
import Testing

@testable import Serving

private let absent = HardwareError(.absent, "open", "/dev/ttyS1", cause: "no such device")

@Suite struct PortServerTests {
  /// Runs a server whose device is present for a time at each attempt, or absent. Returns the pauses after the attempts.
  private func pauses(_ attempts: [Duration?], _ log: RecordingLog) async throws -> [Duration] {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let scene = Scene(attempts: attempts, end: end)
    let server = PortServer(
      path: "/dev/ttyS1", app: try #require(AppID("ferry")), group: .singletonMultiThreadedEventLoopGroup,
      logger: log.logger, open: scene.open, clock: { scene.now }, sleep: scene.sleep)
    server.begin()
    async let running: Void = server.run(
      RefusingService(refusals: 0), shuttingDown: LineError(.shuttingDown, "the gateway stops"))
    for await _ in ends {}
    server.stop()
    await running
    return scene.pauses
  }

  @Test func `the pauses between attempts grow to 15 s, and begin again after the port lasted 60 s`() async throws {
    let log = RecordingLog()
    let short = Duration.seconds(60) - .nanoseconds(1)
    let pauses = try await pauses([nil, nil, nil, nil, nil, nil, short, .seconds(60), nil], log)
    #expect(pauses.map(\.components.seconds) == [1, 2, 4, 8, 15, 15, 15, 1, 2])
    #expect(log.all.count { $0.hasPrefix("port open ") } == 2)
    // The log has the same cause again only after the port was present.
    #expect(log.all.count { $0.hasPrefix("port absent; trying again ") } == 2)
  }
}

/// The attempts to open a port, with a clock that advances while the port is present.
private final class Scene: Sendable {
  private struct State {
    var now = MonotonicInstant(nanoseconds: 0)
    var attempts = 0
    var pauses: [Duration] = []
  }

  private let attempts: [Duration?]
  private let end: AsyncStream<Void>.Continuation
  private let state = Mutex(State())

  init(attempts: [Duration?], end: AsyncStream<Void>.Continuation) {
    self.attempts = attempts
    self.end = end
  }

  var now: MonotonicInstant { state.withLock(\.now) }
  var pauses: [Duration] { state.withLock(\.pauses) }

  @Sendable func open() throws -> any LinePort {
    let number = state.withLock { state in
      defer { state.attempts += 1 }
      return state.attempts
    }
    guard let time = attempts[number] else { throw absent }
    // The device disappears after a time.
    return SimulatedPort {
      self.state.withLock { $0.now = $0.now + time }
      throw absent
    }
  }

  /// Records a pause. The last pause ends only with the server.
  @Sendable func sleep(_ pause: Duration) async throws {
    let isLast = state.withLock { state in
      state.pauses.append(pause)
      return state.pauses.count == attempts.count
    }
    guard isLast else { return }
    end.finish()
    await waitForCancellation()
  }
}
