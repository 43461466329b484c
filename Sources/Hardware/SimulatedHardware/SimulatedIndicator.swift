package import Base
package import Hardware
import OperatingSystem
import Synchronization

/// A simulated indicator (status LED) without hardware. A test can read the LED, and can give the LED a fault.
package final class SimulatedIndicator: IndicatorOutput {
  /// A change of the LED between lit and dark, with its time.
  package struct Change: Hashable, Sendable {
    package var instant: MonotonicInstant
    package var isLit: Bool

    package init(instant: MonotonicInstant, isLit: Bool) {
      self.instant = instant
      self.isLit = isLit
    }
  }

  package enum Fault: Hashable, Sendable {
    /// A fault of the driver: `drive` throws the given error, and the LED does not change.
    case refusing(HardwareError)
    /// A fault of the LED or its wire: `drive` succeeds, but the LED stays dark.
    case dark
  }

  private struct State {
    var isDriven = false
    var isLit = false
    var fault: Fault?
    var timeline: [Change] = []
    var watchers: [UInt64: AsyncStream<Change>.Continuation] = [:]
    var numbers: UInt64 = 0
  }

  /// The maximum count of changes in `timeline`, enough for 25 s of blinking at 10 Hz.
  package static let timelineCapacity = 512

  private let hasSense: Bool
  private let state = Mutex(State())

  package init(hasSense: Bool = true) {
    self.hasSense = hasSense
  }

  package func drive(_ isLit: Bool) throws {
    try state.withLock { state in
      if case .refusing(let error) = state.fault { throw error }
      state.isDriven = isLit
      Self.show(&state)
    }
  }

  package func sense() throws -> Bool? {
    hasSense ? state.withLock { $0.isLit } : nil
  }

  package var isLit: Bool {
    state.withLock { $0.isLit }
  }

  package var fault: Fault? {
    get { state.withLock { $0.fault } }
    set {
      state.withLock { state in
        state.fault = newValue
        Self.show(&state)
      }
    }
  }

  /// The latest changes of the LED in chronological order, at most as many as `timelineCapacity`.
  package var timeline: [Change] {
    state.withLock { $0.timeline }
  }

  /// Returns a stream of the changes of the LED. The first element is the present state. If the caller reads too
  /// slowly, the stream drops the oldest changes.
  package func changes() -> AsyncStream<Change> {
    let (stream, continuation) = AsyncStream.makeStream(of: Change.self, bufferingPolicy: .bufferingNewest(64))
    let number = state.withLock { state in
      state.numbers += 1
      state.watchers[state.numbers] = continuation
      continuation.yield(Change(instant: SystemClock.monotonic, isLit: state.isLit))
      return state.numbers
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.watchers.removeValue(forKey: number) }
    }
    return stream
  }

  private static func show(_ state: inout State) {
    let isLit = state.isDriven && state.fault != .dark
    guard isLit != state.isLit else { return }
    state.isLit = isLit
    let change = Change(instant: SystemClock.monotonic, isLit: isLit)
    if state.timeline.count == timelineCapacity { state.timeline.removeFirst(timelineCapacity / 2) }
    state.timeline.append(change)
    for watcher in state.watchers.values { watcher.yield(change) }
  }
}
