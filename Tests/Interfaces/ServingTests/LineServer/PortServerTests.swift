import Base
import Hardware
import LineProtocol
import NIOCore
import NIOEmbedded
import NIOPosix
import Ports
import RecordingClients
import Synchronization
import Testing

@testable import Serving

private let absent = HardwareError(.absent, "open", "/dev/ttyS1", cause: "no such device")

/// An attempt to open a port.
private enum Attempt {
  case absent
  /// The device disappears after a time.
  case present(Duration)
  /// The device sends a line and disappears at once.
  case speaking(String = "PING")
}

@Suite struct PortServerTests {
  /// Runs a server with these attempts. Returns the pauses after the attempts.
  private func pauses(
    _ attempts: [Attempt], _ log: RecordingLog = RecordingLog(),
    service: RefusingService = RefusingService(refusals: 0)
  ) async throws -> [Duration] {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let scene = Scene(attempts: attempts, end: end)
    let server = PortServer(
      path: "/dev/ttyS1", app: try #require(AppID("ferry")), group: .singletonMultiThreadedEventLoopGroup,
      logger: log.logger, open: scene.open, clock: { scene.now }, sleep: scene.sleep)
    server.begin()
    async let running: Void = server.run(service, shuttingDown: LineError(.shuttingDown, "the gateway stops"))
    for await _ in ends {}
    server.stop()
    await running
    return scene.pauses
  }

  @Test func `the pauses between attempts grow to 15 s, and begin again after the port lasted 60 s`() async throws {
    let log = RecordingLog()
    let short = Duration.seconds(60) - .nanoseconds(1)
    let attempts = [Attempt](repeating: .absent, count: 6) + [.present(short), .present(.seconds(60)), .absent]
    let pauses = try await pauses(attempts, log)
    #expect(pauses.map(\.components.seconds) == [1, 2, 4, 8, 15, 15, 15, 1, 2])
    #expect(log.all.count { $0.hasPrefix("port open ") } == 2)
    // The log has the same cause again only after the port was present.
    #expect(log.all.count { $0.hasPrefix("port absent; trying again ") } == 2)
  }

  @Test func `the pauses begin again after an app sent a line, however short the port lasted`() async throws {
    let pauses = try await pauses([.absent, .absent, .speaking(), .absent])
    #expect(pauses.map(\.components.seconds) == [1, 2, 1, 2])
  }

  @Test(arguments: [("PING", []), ("HELLO proto=1", [false]), ("HELLO proto=1\nBYE", [true])])
  func `only the end of an accepted client is reported, and whether the client ended it`(
    lines: String, closings: [Bool]
  ) async throws {
    let service = RefusingService(refusals: 0)
    _ = try await pauses([.speaking(lines)], service: service)
    #expect(service.closings.withLock { $0 } == closings)
  }
}

/// The attempts to open a port, with a clock that advances while the port is present.
private final class Scene: Sendable {
  private struct State {
    var now = MonotonicInstant(nanoseconds: 0)
    var attempts = 0
    var pauses: [Duration] = []
  }

  private let attempts: [Attempt]
  private let end: AsyncStream<Void>.Continuation
  private let state = Mutex(State())

  init(attempts: [Attempt], end: AsyncStream<Void>.Continuation) {
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
    switch attempts[number] {
    case .absent: throw absent
    case .present(let time):
      return SimulatedPort {
        self.state.withLock { $0.now = $0.now + time }
        throw absent
      }
    case .speaking(let lines): return SpeakingPort(lines)
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

/// A port whose device sends lines and disappears.
private final class SpeakingPort: LinePort {
  let speed = 9600
  let isOpen = false
  let unsent = 0
  private let input: String

  init(_ lines: String) { input = lines + "\n" }

  func flushOutput() {}

  func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer> {
    let channel = NIOAsyncTestingChannel()
    let lines = try await channel.testingEventLoop.executeInContext { try wrap(channel) }
    try await channel.writeInbound(ByteBuffer(string: input))
    try await channel.close()
    return lines
  }
}
