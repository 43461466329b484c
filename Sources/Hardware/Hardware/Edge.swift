package import Clocks

/// What a line means, apart from its voltage: an active-low button that is pressed is *active*.
package enum LineActivity: Hashable, Sendable {
  case active
  case inactive
}

/// A change of a line, stamped by whoever saw it first (the kernel, for a GPIO line).
package struct Edge: Hashable, Sendable {
  /// What the line became.
  package var activity: LineActivity
  package var timestamp: MonotonicInstant

  package init(_ activity: LineActivity, at timestamp: MonotonicInstant) {
    self.activity = activity
    self.timestamp = timestamp
  }
}

/// What an edge input tells, in the order in which it happened.
package enum EdgeEvent: Hashable, Sendable {
  /// The line as it was when it was requested; always the first event.
  case initial(LineActivity, at: MonotonicInstant)
  case edge(Edge)
  /// Events between the last one and this instant were lost; the line is now as told.
  case lost(now: LineActivity, at: MonotonicInstant)
}

/// An input whose changes are told with their times: a button.
///
/// Guaranteed: events come in the order of their timestamps, the first is `.initial`, and no loss goes unmentioned.
/// Not guaranteed: that every change of the wire is seen (a pulse shorter than the hardware notices is none), that the
/// activities alternate, or that an event comes soon after its timestamp.
package protocol EdgeInput: DeviceReader {
  /// Hands over events until the surrounding task is cancelled or the line is gone.
  /// - Throws: `HardwareError` when the line cannot be requested or has gone.
  func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws
}
