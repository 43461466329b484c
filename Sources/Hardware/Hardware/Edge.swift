package import Base

/// The logical level of a GPIO line. The configuration of the GPIO line defines whether a high or a low voltage means
/// *active*. A pressed button is *active*.
package enum LineActivity: Hashable, Sendable {
  case active
  case inactive
}

/// A change of the level of a GPIO line or of a simulated button. The timestamp comes from the first component that
/// detected the change; for a GPIO line, this is the kernel.
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
  /// The level of the input when the input begins to deliver events. This event is always the first event.
  case initial(LineActivity, at: MonotonicInstant)
  case edge(Edge)
  /// All edges between the previous event and the instant `at` were lost. `now` is the level that was read when the
  /// loss was detected.
  case lost(now: LineActivity, at: MonotonicInstant)
  /// The input has delivered all edges that it detected until this instant. A call of `confirmEdges` requests this
  /// event. An input may also deliver this event without such a request.
  case confirmed(until: MonotonicInstant)
}

/// An input that reports level changes with their times, such as a button.
///
/// Guaranteed: events are in the order of their timestamps, the first event is `.initial`, and every loss of events is
/// reported. Not guaranteed: that every short pulse is detected, that the levels alternate, or that an event arrives
/// soon after its timestamp.
package protocol EdgeInput: DeviceReader {
  /// Delivers events until the task is cancelled. Throws `HardwareError` if the kernel refuses access to the GPIO line,
  /// or if the GPIO line disappears.
  func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws

  /// Requests a `.confirmed` event, and returns immediately. If `run` is not active, the input delivers no such event.
  func confirmEdges()
}
