import Clocks
import Synchronization

@testable import SimulatedHardware

/// A clock that jumps to whatever is waited for, and remembers the waits. After so many of them it behaves as if the
/// task that waits had been cancelled.
final class ManualPace: Sendable {
  private struct State {
    var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    var waits: [Duration] = []
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int = .max) {
    self.limit = limit
  }

  var waits: [Duration] { state.withLock { $0.waits } }

  /// Lets time pass that nobody waited for.
  func pass(_ duration: Duration) {
    state.withLock { $0.now = $0.now + duration }
  }

  var pace: Pace {
    Pace(
      reading: { ClockReading(monotonic: self.state.withLock { $0.now }, utc: startOfTests) },
      sleep: { instant in
        try self.state.withLock { state in
          if state.waits.count == self.limit { throw CancellationError() }
          state.waits.append(instant - state.now)
          state.now = max(state.now, instant)
        }
      })
  }
}
