/// The receiver's report about an attack on the satellite signals: spoofing (false signals) or jamming (interference).
public enum SignalThreat: Int, Hashable, Sendable, Comparable {
  /// The receiver makes no report about attacks, or its detection is off.
  case unknown = 0
  /// The receiver detects no attack.
  case none = 1
  /// The receiver has signs of an attack. In the case of jamming, the receiver still has a fix.
  case suspected = 2
  /// The receiver is sure of an attack. In the case of spoofing, there are several signs. In the case of jamming, the
  /// receiver has no fix.
  case certain = 3

  /// Creates a threat level from the two lowest bits of `bits`.
  init(_ bits: UInt8) {
    self = SignalThreat(rawValue: Int(bits & 0x03)) ?? .unknown
  }

  public static func < (left: SignalThreat, right: SignalThreat) -> Bool { left.rawValue < right.rawValue }
}
