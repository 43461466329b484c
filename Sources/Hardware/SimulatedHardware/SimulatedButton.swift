package import Hardware
import Clocks
import Synchronization

/// A button that a program presses, for example when a key is typed or a command arrives, or in a test.
///
/// While `run` is not active, the button drops edges. The next call of `run` first delivers the current level of the
/// button.
package final class SimulatedButton: EdgeInput {
  private struct Listener {
    var stream: AsyncStream<(event: EdgeEvent, receipt: UInt64?)>.Continuation
    /// The continuations that wait until an event was handled. The key is the receipt number of the event.
    var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
  }

  private struct State {
    var activity = LineActivity.inactive
    /// The time of the last edge. The time of the next edge must not be earlier than this time.
    var last = MonotonicInstant(nanoseconds: .min)
    var listener: Listener?
    var receipts: UInt64 = 0
    var bounce: RandomSource?
  }

  private let state: Mutex<State>
  private let clock: SimulationClock

  /// Creates a button.
  ///
  /// - Parameter bounceSeed: The seed for the simulated bounce of the contact. At every change, the contact bounces for
  ///   up to 5 ms. The value is nil if the contact does not bounce.
  package init(bounceSeed: UInt64? = nil, clock: SimulationClock = .system) {
    self.clock = clock
    state = Mutex(State(bounce: bounceSeed.map { RandomSource(seed: $0, stream: 5) }))
  }

  package func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: (event: EdgeEvent, receipt: UInt64?).self)
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
    for await (event, receipt) in stream {
      await receive(event)
      if let receipt {
        state.withLock { $0.listener?.waiting.removeValue(forKey: receipt) }?.resume(returning: true)
      }
    }
    let left = state.withLock { state in
      defer { state.listener = nil }
      return state.listener?.waiting ?? [:]
    }
    for waiter in left.values { waiter.resume(returning: false) }
  }

  /// Presses the button. The function has no effect if the button is already down.
  package func down() {
    state.withLock { change(&$0, to: .active, receipt: nil) }
  }

  /// Releases the button. The function has no effect if the button is already up.
  package func up() {
    state.withLock { change(&$0, to: .inactive, receipt: nil) }
  }

  /// Presses the button, holds it for a time and releases it. Returns after the release was handled. If the task is
  /// cancelled, the button is released immediately.
  ///
  /// The result does not show whether the press had an effect in the application. The effect depends on the
  /// application's debouncing.
  ///
  /// - Returns: False if `run` was not active, or ended before the release was handled.
  @discardableResult
  package func press(for duration: Duration) async -> Bool {
    down()
    // If the task is cancelled, the wait ends early, and the button is released.
    _ = await clock.wait(until: clock.reading().monotonic + duration)
    return await withCheckedContinuation { continuation in
      let isListening = state.withLock { state in
        guard state.listener != nil, state.activity == .active else {
          change(&state, to: .inactive, receipt: nil)
          return false
        }
        state.receipts += 1
        state.listener?.waiting[state.receipts] = continuation
        change(&state, to: .inactive, receipt: state.receipts)
        return true
      }
      if !isListening { continuation.resume(returning: false) }
    }
  }

  /// Changes the level.
  ///
  /// - Parameters:
  ///   - state: The state of the button.
  ///   - activity: The new level.
  ///   - receipt: The receipt number of the continuation that waits until the last edge was handled. The value is nil
  ///     if no continuation waits.
  private func change(_ state: inout State, to activity: LineActivity, receipt: UInt64?) {
    guard state.activity != activity else { return }
    state.activity = activity
    // The contact bounces before the last edge. So the times of the bounce edges are some milliseconds in the past.
    let extra = 2 * Int((state.bounce?.next() ?? 0) % 4)
    var instant = clock.reading().monotonic
    var edges = [Edge(activity, at: instant)]
    for number in 0..<extra {
      let step = state.bounce?.uniform(50...800) ?? 0
      instant = instant - .microseconds(Int64(step))
      edges.append(Edge(number.isMultiple(of: 2) ? Self.opposite(activity) : activity, at: instant))
    }
    for (number, edge) in edges.reversed().enumerated() {
      state.last = max(edge.timestamp, state.last + .nanoseconds(1))
      let isLast = number == edges.count - 1
      state.listener?.stream.yield((.edge(Edge(edge.activity, at: state.last)), isLast ? receipt : nil))
    }
  }

  private static func opposite(_ activity: LineActivity) -> LineActivity {
    switch activity {
    case .active: .inactive
    case .inactive: .active
    }
  }
}
