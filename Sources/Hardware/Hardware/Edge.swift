package import Base

/// The logical level of a GPIO line. The configuration says whether a high or a low voltage means `active`. A pressed
/// button is `active`.
package enum LineActivity: Hashable, Sendable {
  case active
  case inactive
}

/// A level change of a GPIO line or of a simulated button, with its time. For a GPIO line, the time comes from the
/// kernel.
package struct Edge: Hashable, Sendable {
  package var activity: LineActivity
  package var timestamp: MonotonicInstant

  package init(_ activity: LineActivity, at timestamp: MonotonicInstant) {
    self.activity = activity
    self.timestamp = timestamp
  }
}

/// An event of an input that reports level changes (edges), for example of a button.
package enum EdgeEvent: Hashable, Sendable {
  /// The level of the input at the start. The first event of an input is always `initial`.
  case initial(LineActivity, at: MonotonicInstant)
  case edge(Edge)
  /// All level changes (edges) between the previous event and the instant `at` are lost. `now` is the level of the
  /// input after the loss.
  case lost(now: LineActivity, at: MonotonicInstant)
  /// The input has delivered all level changes (edges) until the instant. Callers can request the event with
  /// `confirmEdges`, but an input may also send the event without a request.
  case confirmed(until: MonotonicInstant)
}

/// An input that reports level changes (edges) with their times, such as a button.
///
/// Guaranteed: events are in the order of their timestamps, the first event is `initial`, and the input reports every
/// loss of level changes. Not guaranteed: that the input detects every short pulse, that the levels alternate, or that
/// an event arrives soon after its timestamp.
package protocol EdgeInput: DeviceReader {
  /// Delivers level changes (edges) and other events until the task is cancelled.
  /// - Throws: `HardwareError` if the kernel refuses access to the GPIO line, or if the GPIO line disappears.
  func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws

  /// Requests an event `confirmed`. The event contains the instant until which all level changes were delivered. The
  /// request has no effect if `run` is not active.
  func confirmEdges()
}
