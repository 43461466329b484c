import Base
package import Hardware
import Synchronization

/// A button that the program presses in place of a user, for example when a key is typed, or in a test. While `run` is
/// not active, the button drops level changes (edges).
package final class SimulatedButton: EdgeInput {
  /// An element of the stream to `run`: an event, or a marker. When `run` reads the marker of a call of `press`, all
  /// earlier events were handled.
  private enum Element {
    case event(EdgeEvent)
    case receipt(UInt64)
  }

  private struct Listener {
    var stream: AsyncStream<Element>.Continuation
    /// The calls of `press` that wait until all earlier events were handled. The key is the number of the call.
    var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
  }

  private struct State {
    var activity = LineActivity.inactive
    /// The time of the latest level change (edge). The time of the next edge must be later.
    var last = MonotonicInstant(nanoseconds: .min)
    var listener: Listener?
    /// The latest time at which the current call of `press` may release the button; nil if there is no such call.
    var latestRelease: MonotonicInstant?
    var receipts: UInt64 = 0
  }

  /// The maximum delay of a planned release of the button. A longer delay on a busy machine could turn a short press
  /// into a hold.
  private static let maximumDelay = Duration.milliseconds(100)

  private let state = Mutex(State())
  private let clock: SimulationClock

  /// Creates a button that is not pressed.
  /// - Parameter clock: the clock for the timestamps.
  package init(clock: SimulationClock = .system) {
    self.clock = clock
  }

  package func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
    let initial: EdgeEvent? = state.withLock { state in
      guard state.listener == nil else { return nil }
      state.listener = Listener(stream: continuation)
      state.last = max(state.last, clock.reading().monotonic)
      return .initial(state.activity, at: state.last)
    }
    guard let initial else {
      throw HardwareError(.busy, "request", "the simulated button", cause: "it is already in use")
    }
    await receive(initial)
    for await element in stream {
      switch element {
      case .event(let event): await receive(event)
      case .receipt(let number):
        state.withLock { $0.listener?.waiting.removeValue(forKey: number) }?.resume(returning: true)
      }
    }
    let left = state.withLock { state in
      defer { state.listener = nil }
      return state.listener?.waiting ?? [:]
    }
    for waiter in left.values { waiter.resume(returning: false) }
  }

  /// Presses the button. If the button is already down, the call has no effect.
  package func down() {
    state.withLock { change(&$0, to: .active) }
  }

  /// Releases the button. If the button is already up, the call has no effect.
  package func up() {
    state.withLock { change(&$0, to: .inactive) }
  }

  package func confirmEdges() {
    state.withLock { state in
      let now = clock.reading().monotonic
      if let latest = state.latestRelease, latest <= now { change(&state, to: .inactive, at: latest) }
      state.listener?.stream.yield(.event(.confirmed(until: now)))
    }
  }

  /// Presses the button, holds the button down for a duration, and releases the button. If the task is cancelled, the
  /// release is immediate. If the task is late, the timestamp of the release is at most 100 ms after the planned time.
  ///
  /// - Returns: whether the caller of `run` has handled the press and the release; false if `run` was not active, or
  ///   returned early. A debouncer may still ignore a very short press.
  @discardableResult
  package func press(for duration: Duration) async -> Bool {
    let (release, latest) = state.withLock { state in
      change(&state, to: .active)
      let release = max(clock.reading().monotonic, state.last) + duration
      state.latestRelease = release + Self.maximumDelay
      return (release, release + Self.maximumDelay)
    }
    // A cancelled task ends the wait early.
    _ = await clock.wait(until: release)
    return await withCheckedContinuation { continuation in
      let isListening = state.withLock { state in
        // If the button was released meanwhile, a later press is not changed.
        if state.latestRelease == latest { change(&state, to: .inactive, at: min(latest, clock.reading().monotonic)) }
        guard state.listener != nil else { return false }
        state.receipts += 1
        state.listener?.waiting[state.receipts] = continuation
        state.listener?.stream.yield(.receipt(state.receipts))
        return true
      }
      if !isListening { continuation.resume(returning: false) }
    }
  }

  /// Changes the level of the button.
  ///
  /// - Parameter instant: the time of the change; nil for the present time.
  private func change(_ state: inout State, to activity: LineActivity, at instant: MonotonicInstant? = nil) {
    guard state.activity != activity else { return }
    state.activity = activity
    state.latestRelease = nil
    state.last = max(instant ?? clock.reading().monotonic, state.last + .nanoseconds(1))
    state.listener?.stream.yield(.event(.edge(Edge(activity, at: state.last))))
  }
}
