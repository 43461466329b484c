package import Clocks
package import Hardware
import Synchronization
import OperatingSystem

/// An LED that is a value: it can be looked at, watched, made to fail and taken out.
package final class SimulatedIndicator: IndicatorOutput {
  /// When the light went on or off.
  package struct Change: Hashable, Sendable {
    package var instant: MonotonicInstant
    package var isLit: Bool

    package init(instant: MonotonicInstant, isLit: Bool) {
      self.instant = instant
      self.isLit = isLit
    }
  }

  package enum Fault: Hashable, Sendable {
    /// Driving it throws this; the light stays as it is.
    case refusing(HardwareError)
    /// The output can be driven, but no light comes: a broken LED or wire.
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

  /// As many changes are kept as a blinking of 10 per second makes in 25 s.
  package static let timelineCapacity = 512

  private let hasSense: Bool
  private let state = Mutex(State())

  /// - Parameter hasSense: whether the board has an input that sees the light.
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

  /// Whether a person would see light.
  package var isLit: Bool {
    state.withLock { $0.isLit }
  }

  /// What is wrong with it; nil for nothing.
  package var fault: Fault? {
    get { state.withLock { $0.fault } }
    set {
      state.withLock { state in
        state.fault = newValue
        Self.show(&state)
      }
    }
  }

  /// The last changes of the light, oldest first; at most `timelineCapacity`.
  package var timeline: [Change] {
    state.withLock { $0.timeline }
  }

  /// Every change of the light from now on, beginning with how it is. A reader that is too slow misses the oldest.
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
