/// The reason why the position of a fix may be false. The raw value is the word of the line protocol.
public enum SignalSuspicion: String, Hashable, Sendable, CaseIterable {
  /// The receiver reports false satellite signals.
  case spoofing
  /// The position jumped, and neither the speed nor the accuracy of the receiver explains the jump.
  case jump
  /// The receiver reports interference that covers the satellites.
  case jamming
}
