/// A receiver's verdict about an attack on the signals: false signals (spoofing), or signals that cover the satellites
/// (jamming).
public enum SignalThreat: Int, Hashable, Sendable, Comparable {
  /// The receiver gives no verdict, or its detection is off.
  case unknown = 0
  /// The receiver detects no attack.
  case none = 1
  /// The receiver has signs of an attack. For jamming: there is interference, and the receiver has a fix.
  case suspected = 2
  /// The receiver is sure. For spoofing: there are several signs. For jamming: there is interference, and no fix.
  case certain = 3

  /// Creates a verdict from the lowest two bits of a byte.
  init(_ bits: UInt8) {
    self = SignalThreat(rawValue: Int(bits & 0x03)) ?? .unknown
  }

  public static func < (left: SignalThreat, right: SignalThreat) -> Bool { left.rawValue < right.rawValue }
}
