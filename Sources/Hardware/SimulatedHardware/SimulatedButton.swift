package import Hardware
import Clocks
import Synchronization
import OperatingSystem

/// A button that is pressed by a program: from a key, a command, or a test.
///
/// Without somebody who runs it, nobody hears of its edges; whoever runs it later learns how it is then.
package final class SimulatedButton: EdgeInput {
  private struct Listener {
    var stream: AsyncStream<(event: EdgeEvent, receipt: UInt64?)>.Continuation
    /// Those who wait until an event was handled.
    var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
  }

  private struct State {
    var activity = LineActivity.inactive
    /// Edges must not go back in time.
    var last = MonotonicInstant(nanoseconds: .min)
    var listener: Listener?
    var receipts: UInt64 = 0
    var bounce: RandomSource?
  }

  private let state: Mutex<State>

  /// - Parameter bounceSeed: the seed of contact bounce, up to 5 ms of it at every change; nil for none.
  package init(bounceSeed: UInt64? = nil) {
    state = Mutex(State(bounce: bounceSeed.map { RandomSource(seed: $0, stream: 5) }))
  }

  package func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: (event: EdgeEvent, receipt: UInt64?).self)
    let initial: EdgeEvent? = state.withLock { state in
      guard state.listener == nil else { return nil }
      state.listener = Listener(stream: continuation)
      state.last = max(state.last, SystemClock.monotonic)
      return .initial(state.activity, at: state.last)
    }
    guard let initial else {
      throw HardwareError(.busy, "request", "the simulated button", cause: "it is in use already")
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

  /// Pushes the button; nothing happens where it is down already.
  package func down() {
    state.withLock { Self.change(&$0, to: .active, receipt: nil) }
  }

  /// Lets the button go; nothing happens where it is up already.
  package func up() {
    state.withLock { Self.change(&$0, to: .inactive, receipt: nil) }
  }

  /// Pushes the button, holds it for a time and lets it go. Returns when the release was handled by whoever runs the
  /// button. Cancelling the surrounding task lets the button go at once.
  ///
  /// Whether a press took effect is for the application to say: it depends on its debouncing.
  /// - Returns: false where nobody ran the button, or stopped before the release was handled.
  @discardableResult
  package func press(for duration: Duration) async -> Bool {
    down()
    // A task that is cancelled meanwhile lets go early, and still lets go.
    _ = await Pace.real.reaches(SystemClock.monotonic + duration)
    return await withCheckedContinuation { continuation in
      let isHeard = state.withLock { state in
        guard state.listener != nil, state.activity == .active else {
          Self.change(&state, to: .inactive, receipt: nil)
          return false
        }
        state.receipts += 1
        state.listener?.waiting[state.receipts] = continuation
        Self.change(&state, to: .inactive, receipt: state.receipts)
        return true
      }
      if !isHeard { continuation.resume(returning: false) }
    }
  }

  /// - Parameter receipt: names who waits until the last edge was handled.
  private static func change(_ state: inout State, to activity: LineActivity, receipt: UInt64?) {
    guard state.activity != activity else { return }
    state.activity = activity
    // A contact that bounces has done so by the time the change is seen: the edges are of the last milliseconds.
    let extra = 2 * Int((state.bounce?.next() ?? 0) % 4)
    var instant = SystemClock.monotonic
    var edges = [Edge(activity, at: instant)]
    for number in 0..<extra {
      let step = state.bounce?.uniform(50...800) ?? 0
      instant = instant - .microseconds(Int64(step))
      edges.append(Edge(number.isMultiple(of: 2) ? opposite(activity) : activity, at: instant))
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
