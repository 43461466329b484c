package import Base
package import LineProtocol
import OperatingSystem
package import Ports
import Synchronization

/// A listener whose failure does not stop the gateway, for example the listener for clients of gpsd.
///
/// If the listener cannot be opened, or if the open listener fails, the gateway tries again after a pause. The pauses
/// grow from 1 s to 60 s.
package final class OptionalListener: Sendable {
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(60))
  /// The time after which an open listener counts as stable. After the failure of a stable listener, the pause is 1 s
  /// again.
  private static let lasting = Duration.seconds(60)

  private struct State {
    /// The open servers, one for each address; empty while the listener is closed.
    var servers: [any ListeningServer] = []
    /// The error of the call of `reload` that closed the servers; nil if no call of `reload` has failed.
    var fault: ListenError?
    /// The count of consecutive failures. The count begins again after the listener has been open for 60 s (`lasting`).
    var failures = 0
    /// The time at which the listener was opened, and the address of its first server; nil while the listener is
    /// closed.
    var opening: (time: MonotonicInstant, address: String)?
    var pause: Task<Void, Never>?
    /// Whether the next attempt to open the listener must follow without a pause.
    var triesAtOnce = false
    var isStopped = false
  }

  /// The protocol and the configured address of the listener, for example `gpsd:localhost:2947`.
  package let name: String
  private let open: @Sendable () async throws -> [any ListeningServer]
  private let report: @Sendable (ListenError?) async -> Void
  private let clock: @Sendable () -> MonotonicInstant
  private let sleep: @Sendable (Duration) async throws -> Void
  private let state = Mutex(State())

  /// Creates a closed listener.
  /// - Parameters:
  ///   - open: Opens all servers of the listener, or none. Throws `ListenError`.
  ///   - report: Called after each attempt to open the listener, and after each failure of the open listener. The
  ///     argument is the error, or nil if the listener is open.
  package init(
    _ name: String, open: @escaping @Sendable () async throws -> [any ListeningServer],
    report: @escaping @Sendable (ListenError?) async -> Void,
    clock: @escaping @Sendable () -> MonotonicInstant = { SystemClock.monotonic },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { duration in
      try await SystemClock.sleep(until: SystemClock.monotonic + duration)
    }
  ) {
    self.name = name
    self.open = open
    self.report = report
    self.clock = clock
    self.sleep = sleep
  }

  /// The open servers, one for each address; empty while the listener is closed.
  package var servers: [any ListeningServer] { state.withLock(\.servers) }

  private var isStopped: Bool { state.withLock(\.isStopped) }

  /// Tries once to open the listener. Clients can connect to the open listener, and are served when `run` begins.
  package func attempt() async {
    do {
      let servers = try await open()
      let opening = (time: clock(), address: servers.first?.address ?? name)
      let isStopped = state.withLock { state in
        if !state.isStopped {
          (state.servers, state.opening) = (servers, opening)
          (state.triesAtOnce, state.fault) = (false, nil)
        }
        return state.isStopped
      }
      guard !isStopped else {
        for server in servers { await server.abandon() }
        return
      }
      await report(nil)
    } catch {
      await failed(error)
    }
  }

  /// Serves clients until `stop` is called or the task is cancelled. After each failure, the function opens the
  /// listener again.
  /// - Parameter shuttingDown: The error that clients receive at the end.
  package func run(shuttingDown: LineError) async {
    await withTaskCancellationHandler {
      await keepOpen(shuttingDown)
    } onCancel: {
      stop()
    }
  }

  private func keepOpen(_ shuttingDown: LineError) async {
    let farewell = { @Sendable in
      self.isStopped ? shuttingDown : LineError(.shuttingDown, "the gateway closed this listener, and opens it again")
    }
    while true {
      let servers = servers
      if servers.isEmpty {
        if isStopped { return }
        await pause()
        if !isStopped { await attempt() }
      } else {
        var failure: (any Error)?
        do { try await Self.serve(servers, farewell: farewell) } catch { failure = error }
        if isStopped { return }
        await failed(failure)
      }
    }
  }

  /// Closes the listener, so that `run` returns. Any thread may call this function.
  package func stop() {
    let (servers, pause) = state.withLock { state in
      state.isStopped = true
      return (state.servers, state.pause)
    }
    pause?.cancel()
    for server in servers { server.stop() }
  }

  /// Reads the files of an open listener again, for example its certificate. Closes the listener if a file cannot be
  /// used. A listener that is closed, or that a former call closes, is opened again without a pause.
  package func reload() {
    let (servers, opened, isClosing) = state.withLock { ($0.servers, $0.opening?.time, $0.fault != nil) }
    if servers.isEmpty || isClosing {
      state.withLock { state in
        state.triesAtOnce = true
        return state.pause
      }?.cancel()
      return
    }
    do throws(ListenError) {
      for server in servers { try server.reload() }
    } catch {
      // The listener may have failed and opened again meanwhile.
      state.withLock { if $0.opening?.time == opened { $0.fault = error } }
      for server in servers { server.stop() }
    }
  }

  /// Runs all servers until one server ends, and then stops the other servers.
  private static func serve(
    _ servers: [any ListeningServer], farewell: @escaping @Sendable () -> LineError
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for server in servers { tasks.addTask { try await server.run(farewell: farewell) } }
      let first = await tasks.nextResult()
      for server in servers { server.stop() }
      while let next = await tasks.nextResult() { _ = next }
      try first?.get()
    }
  }

  private func failed(_ error: (any Error)?) async {
    let now = clock()
    let fault = state.withLock { state in
      let address = state.opening?.address ?? name
      defer { (state.servers, state.opening, state.fault) = ([], nil, nil) }
      if let opening = state.opening, now - opening.time >= Self.lasting { state.failures = 0 }
      state.failures += 1
      let remedy = "the gateway opens it again"
      return state.fault ?? error as? ListenError
        ?? error.map { ListenError(address: address, $0, remedy: remedy) }
        ?? ListenError(address: address, cause: "the system closed the listener", remedy: remedy)
    }
    if !isStopped { await report(fault) }
  }

  private func pause() async {
    let duration = Self.backoff.maximumDelay(after: state.withLock(\.failures) - 1)
    let pause = Task { [sleep] in _ = try? await sleep(duration) }
    let isOver = state.withLock { state in
      state.pause = pause
      defer { state.triesAtOnce = false }
      return state.isStopped || state.triesAtOnce
    }
    if isOver { pause.cancel() }
    await pause.value
    state.withLock { state in
      (state.pause, state.triesAtOnce) = (nil, false)
    }
  }
}
