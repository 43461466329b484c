/// The reason why the position of a fix may be false. The raw values are words of the gateway's text-line protocol.
public enum SignalSuspicion: String, Hashable, Sendable, CaseIterable {
  /// The receiver reports false satellite signals.
  case spoofing
  /// The position jumped by a distance that neither the speed nor the accuracy of the fix explains.
  case jump
  /// The receiver reports interference that hides the satellite signals.
  case jamming
}
