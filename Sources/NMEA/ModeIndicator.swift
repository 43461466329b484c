public import GNSS

/// How a position was made, as a letter. (NMEA 0183 v4.11 RMC field 12, GLL 7, VTG 9, GNS 6)
public enum ModeIndicator: UInt8, Hashable, Sendable, CaseIterable {
  case autonomous = 0x41
  /// `C`, `U` and `V` are navigation statuses that some receivers write here.
  case caution = 0x43
  case differential = 0x44
  case estimated = 0x45
  case rtkFloat = 0x46
  case manual = 0x4D
  case notValid = 0x4E
  case precise = 0x50
  case rtkFixed = 0x52
  case simulator = 0x53
  case unsafe = 0x55
  case void = 0x56
  /// `0`, which some receivers write for "unknown".
  case unknown = 0x30

  /// Nil where the letter does not tell.
  public var quality: FixQuality? {
    switch self {
    case .autonomous: .autonomous
    case .differential: .differential
    case .estimated: .estimated
    case .rtkFloat: .rtkFloat
    case .manual: .manual
    case .notValid, .void: .invalid
    case .precise: .precise
    case .rtkFixed: .rtkFixed
    case .simulator: .simulator
    case .caution, .unsafe, .unknown: nil
    }
  }

  /// Whether it says that there is no position.
  public var deniesFix: Bool { self == .notValid || self == .void }
}

/// Whether the position may be used for navigation. Receivers that judge nothing say `notValid`, and their fix is none the
/// worse. (NMEA 0183 v4.11 RMC field 13, GNS 13)
public enum NavigationStatus: UInt8, Hashable, Sendable, CaseIterable {
  case safe = 0x53
  case caution = 0x43
  case unsafe = 0x55
  case notValid = 0x56
}

extension Fields {
  /// A mode letter; nil where empty.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func mode() throws(NMEAError) -> ModeIndicator? {
    let letter = try letter()
    if letter == 0 { return nil }
    guard let mode = ModeIndicator(rawValue: letter) else { throw invalid }
    return mode
  }

  @inline(__always)
  @_lifetime(self: copy self)
  mutating func navigationStatus() throws(NMEAError) -> NavigationStatus? {
    let letter = try letter()
    if letter == 0 { return nil }
    guard let status = NavigationStatus(rawValue: letter) else { throw invalid }
    return status
  }

  /// `A` is valid; `V` and nothing are not.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func status() throws(NMEAError) -> Bool {
    let letter = try letter()
    guard letter == 0x41 || letter == 0x56 || letter == 0 else { throw invalid }
    return letter == 0x41
  }

  /// A dilution of precision; 0 and 99 and more mean that it is unknown.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func dilution() throws(NMEAError) -> Double? {
    guard let value = try decimal() else { return nil }
    guard value >= 0 else { throw invalid }
    return value > 0 && value < 99 ? value : nil
  }

  /// A course, degrees from north, 0..<360. 360 is 0.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func course() throws(NMEAError) -> Double? {
    guard let value = try decimal() else { return nil }
    guard value >= 0, value <= 360 else { throw invalid }
    return value == 360 ? 0 : value
  }

  /// A number that cannot be negative.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func magnitude() throws(NMEAError) -> Double? {
    guard let value = try decimal() else { return nil }
    guard value >= 0 else { throw invalid }
    return value
  }
}
