package import Decoding

/// The names of NMEA errors in the output of `onefix decode`.
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
