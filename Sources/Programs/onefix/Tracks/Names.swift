package import NMEA

/// The names of NMEA values and errors in the output.
extension NMEAError.Cause {
  package var name: String {
    switch self {
    case .malformedAddress: "malformed-address"
    case .missingChecksum: "missing-checksum"
    case .checksumMismatch: "checksum-mismatch"
    case .malformedChecksum: "malformed-checksum"
    case .interrupted: "interrupted"
    case .aborted: "aborted"
    case .overlong: "overlong"
    case .ubxChecksum: "ubx-checksum"
    case .rtcm3Checksum: "rtcm3-checksum"
    case .fieldCount: "field-count"
    case .invalidField: "invalid-field"
    }
  }
}

extension ModeIndicator {
  var name: String {
    switch self {
    case .autonomous: "autonomous"
    case .caution: "caution"
    case .differential: "differential"
    case .estimated: "estimated"
    case .rtkFloat: "rtk-float"
    case .manual: "manual"
    case .notValid: "not-valid"
    case .precise: "precise"
    case .rtkFixed: "rtk-fixed"
    case .simulator: "simulator"
    case .unsafe: "unsafe"
    case .void: "void"
    case .unknown: "unknown"
    }
  }
}

extension NavigationStatus {
  var name: String {
    switch self {
    case .safe: "safe"
    case .caution: "caution"
    case .unsafe: "unsafe"
    case .notValid: "not-valid"
    }
  }
}

extension PUBXPosition.Status {
  var name: String {
    switch self {
    case .noFix: "no-fix"
    case .deadReckoning: "dead-reckoning"
    case .standalone2D: "standalone-2d"
    case .standalone3D: "standalone-3d"
    case .differential2D: "differential-2d"
    case .differential3D: "differential-3d"
    case .combined: "combined"
    case .timeOnly: "time-only"
    }
  }
}
