public import GNSS

/// The method of a fix, as a letter. (NMEA 0183 v4.11 RMC field 12, GLL 7, VTG 9, GNS 6)
public enum ModeIndicator: UInt8, Hashable, Sendable {
  /// A position from satellites alone, without corrections. (`A`)
  case autonomous = 0x41
  /// A navigation status that some receivers write in place of the method. (`C`)
  case caution = 0x43
  /// A position with corrections from a station or from augmentation satellites. (`D`)
  case differential = 0x44
  /// A position by dead reckoning. (`E`)
  case estimated = 0x45
  /// A position from carrier phases with ambiguities that are not resolved to integers. (`F`)
  case rtkFloat = 0x46
  /// A position that a user entered. (`M`)
  case manual = 0x4D
  /// No fix. (`N`)
  case notValid = 0x4E
  /// A precise position: without artificial errors (selective availability), or from the military service. (`P`)
  case precise = 0x50
  /// A position from carrier phases with ambiguities that are resolved to integers. (`R`)
  case rtkFixed = 0x52
  /// A simulated position. (`S`)
  case simulator = 0x53
  /// Unsafe integrity, a navigation status that some receivers write in place of the method. (`U`)
  case unsafe = 0x55
  /// Not valid, a navigation status that some receivers write in place of the method. (`V`)
  case void = 0x56
  /// An unknown method. Some receivers write this digit. (`0`)
  case unknown = 0x30

  /// The quality of the fix; nil if the letter does not determine the quality.
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

  /// Whether the letter means that there is no position.
  @inline(__always)
  public var deniesFix: Bool {
    switch self {
    case .notValid, .void: true
    case .autonomous, .caution, .differential, .estimated, .rtkFloat, .manual, .precise, .rtkFixed, .simulator, .unsafe,
      .unknown:
      false
    }
  }
}

/// Whether the position may be used for navigation. Receivers without an integrity check write `notValid`, even for a
/// valid fix. (NMEA 0183 v4.11 RMC field 13, GNS 13)
public enum NavigationStatus: UInt8, Hashable, Sendable {
  /// The estimated error is within the limits for navigation. (`S`)
  case safe = 0x53
  /// The integrity is unknown. (`C`)
  case caution = 0x43
  /// The estimated error is outside the limits for navigation. (`U`)
  case unsafe = 0x55
  /// The receiver does not check integrity. The fix may still be valid. (`V`)
  case notValid = 0x56
}

extension Fields {
  /// Reads the method of a fix. An unknown letter says nothing about the validity, which the status tells.
  @inline(__always)
  mutating func mode(in bytes: Span<UInt8>) -> ModeIndicator? {
    let field = next(in: bytes)
    if field.isEmpty { return nil }
    let letter = UInt8(truncatingIfNeeded: field.raw)
    // Nearly all fixes have the mode `A`.
    if field.length == 1, letter == 0x41 { return .autonomous }
    guard field.length == 1, let mode = ModeIndicator(rawValue: letter) else { return note(in: bytes) }
    return mode
  }

  @inline(__always)
  mutating func navigationStatus(in bytes: Span<UInt8>) -> NavigationStatus? {
    let field = next(in: bytes)
    if field.isEmpty { return nil }
    guard field.length == 1, let status = NavigationStatus(rawValue: UInt8(truncatingIfNeeded: field.raw)) else {
      return note(in: bytes)
    }
    return status
  }

  /// Reads a status. Returns true for `A`, and for `D`, which receivers write for a position with corrections. Returns
  /// false for `V`, for `N`, which some write instead, or for an empty field.
  @inline(__always)
  mutating func status(in bytes: Span<UInt8>) throws(NMEAError) -> Bool {
    let letter = try letter(in: bytes)
    if letter == 0x41 { return true }
    guard letter == 0x56 || letter == 0 || letter == 0x44 || letter == 0x4E else { throw invalid(in: bytes) }
    return letter == 0x44
  }

  /// Reads a dilution of precision. Returns nil for a value that means unknown: 0, or a field that is not a positive
  /// number. A receiver that has a fix and writes 99.99 has a bad position, so this value is used.
  @inline(__always)
  mutating func dilution(in bytes: Span<UInt8>) -> Double? {
    let field = start
    if let value = magnitude(in: bytes), value > 0 { return value }
    deniesDilution = deniesDilution || start &- field > 1
    return nil
  }

  /// Reads a course in degrees from north, 0..<360. The function changes 360 to 0.
  @inline(__always)
  mutating func course(in bytes: Span<UInt8>) -> Double? {
    guard let value = decimal(in: bytes) else { return nil }
    guard value >= 0, value <= 360 else { return note(in: bytes) }
    return value == 360 ? 0 : value
  }

  @inline(__always)
  mutating func magnitude(in bytes: Span<UInt8>) -> Double? {
    guard let value = decimal(in: bytes) else { return nil }
    guard value >= 0 else { return note(in: bytes) }
    return value
  }
}
