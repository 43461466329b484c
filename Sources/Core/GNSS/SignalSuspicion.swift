/// The reason why the position of a fix may be false. The raw value is the word for the reason in the line protocol.
public enum SignalSuspicion: String, Hashable, Sendable, CaseIterable {
  /// The receiver reports false satellite signals.
  case spoofing
  /// The position jumped, and neither the speed nor the accuracy of the receiver explains the jump.
  case jump
  /// The receiver reports interference that hides the satellite signals.
  case jamming
}
