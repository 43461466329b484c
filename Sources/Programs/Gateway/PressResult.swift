import Clocks

/// The result of a simulated press or hold, while its caller waits.
final class PressResult {
  let button: String
  var outcome = PressOutcome.nothing
  /// The instant of the release; nil for a hold.
  var release: MonotonicInstant?

  init(of button: String) { self.button = button }
}
