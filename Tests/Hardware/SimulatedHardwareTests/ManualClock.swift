import Base
import Synchronization

@testable import SimulatedHardware

/// A clock that jumps to each instant that is waited for, and records the waits. After a number of waits it behaves as
/// if the waiting task were cancelled.
final class ManualClock: Sendable {
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

  /// Advances the clock without a wait.
  func pass(_ duration: Duration) {
    state.withLock { $0.now = $0.now + duration }
  }

  var clock: SimulationClock {
    SimulationClock(
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
