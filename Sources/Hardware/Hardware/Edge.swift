package import Clocks

/// The logical level of a line, independent of its voltage. A pressed active-low button is *active*.
package enum LineActivity: Hashable, Sendable {
  case active
  case inactive
}

/// A change of a line. The timestamp comes from the first component that detected the change, for a GPIO line from the
/// kernel.
package struct Edge: Hashable, Sendable {
  package var activity: LineActivity
  package var timestamp: MonotonicInstant

  package init(_ activity: LineActivity, at timestamp: MonotonicInstant) {
    self.activity = activity
    self.timestamp = timestamp
  }
}

/// An event of an edge input. The input delivers its events in chronological order.
package enum EdgeEvent: Hashable, Sendable {
  /// The level at the time when the gateway requested the line. This event is always the first one.
  case initial(LineActivity, at: MonotonicInstant)
  case edge(Edge)
  /// All events between the previous event and the instant `at` were lost. `now` is the level at this instant.
  case lost(now: LineActivity, at: MonotonicInstant)
  /// All edges that the input had detected at this instant were delivered. This event answers `confirmEdges`. An input
  /// may also deliver it without a request.
  case confirmed(until: MonotonicInstant)
}

/// An input that reports level changes with their times, such as a button.
///
/// Guaranteed: events are in the order of their timestamps, the first event is `.initial`, and every loss of events is
/// reported. Not guaranteed: that every short pulse is detected, that the levels alternate, or that an event arrives
/// soon after its timestamp.
package protocol EdgeInput: DeviceReader {
  /// Delivers events until the task is cancelled. Throws `HardwareError` if the line cannot be requested, or has
  /// disappeared.
  func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws

  /// Requests a `.confirmed` event, and returns immediately. If `run` is not active, no event follows.
  func confirmEdges()
}
