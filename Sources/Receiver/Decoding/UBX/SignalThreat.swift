/// The threat level of an attack on the satellite signals, as the receiver reports it. The attack is spoofing (false
/// signals) or jamming (interference).
public enum SignalThreat: Int, Hashable, Sendable, Comparable {
  /// The receiver reports no threat level, or its detection is off.
  case unknown = 0
  /// The receiver detects no attack.
  case none = 1
  /// The receiver detects signs of an attack. For jamming, the receiver has a fix in spite of interference.
  case suspected = 2
  /// The receiver is sure of an attack. For spoofing, there are several signs. For jamming, the interference prevents a
  /// fix.
  case certain = 3

  /// Creates a threat level from the lowest two bits of a byte.
  init(_ bits: UInt8) {
    self = SignalThreat(rawValue: Int(bits & 0x03)) ?? .unknown
  }

  public static func < (left: SignalThreat, right: SignalThreat) -> Bool { left.rawValue < right.rawValue }
}
