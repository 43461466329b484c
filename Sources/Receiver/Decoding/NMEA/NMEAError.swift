/// The reason why a line is not a valid sentence. The error contains no field, because a field may be a position.
public enum NMEAError: Error, Hashable, Sendable {
  /// The line has no address of a talker and a type.
  case malformedAddress
  /// The sentence has no checksum, and the configuration requires a checksum.
  case missingChecksum
  /// The checksum does not match the content.
  case checksumMismatch(computed: UInt8, received: UInt8)
  /// The frame is malformed.
  case framing(FramingError)
  /// The sentence has more or fewer fields than its type allows.
  case fieldCount(SentenceType, Int)
  /// A field is malformed or out of range. The number of the first field is 1, as in the standard.
  case invalidField(SentenceType, field: Int)

  /// The kind of an error, without details. It is the key of the error counters.
  public enum Cause: Hashable, Sendable, CaseIterable {
    /// Errors of the frame, of the address or of the checksum.
    case malformedAddress, missingChecksum, checksumMismatch, malformedChecksum, interrupted, aborted, overlong
    /// Errors of a binary frame, of the number of fields, or of one field.
    case ubxChecksum, rtcm3Checksum, fieldCount, invalidField
  }

  /// The kind of this error.
  public var cause: Cause {
    switch self {
    case .malformedAddress: .malformedAddress
    case .missingChecksum: .missingChecksum
    case .checksumMismatch: .checksumMismatch
    case .fieldCount: .fieldCount
    case .invalidField: .invalidField
    case .framing(.interrupted): .interrupted
    case .framing(.aborted): .aborted
    case .framing(.overlong): .overlong
    case .framing(.malformedChecksum): .malformedChecksum
    case .framing(.ubxChecksum): .ubxChecksum
    case .framing(.rtcm3Checksum): .rtcm3Checksum
    }
  }
}

extension NMEAError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .malformedAddress: "cannot parse a line: it has no talker and sentence type"
    case .missingChecksum: "cannot accept a sentence: it has no checksum (does an old receiver send none?)"
    case .checksumMismatch(let computed, let received):
      "cannot accept a sentence: its checksum is \(String(received, radix: 16)), but its content requires "
        + "\(String(computed, radix: 16)) (noise on the line, or a wrong baud rate?)"
    case .fieldCount(let type, let count): "cannot parse \(type): it has an unexpected number of fields, \(count)"
    case .invalidField(let type, let field): "cannot parse \(type): field \(field) is malformed or out of range"
    case .framing(.interrupted): "cannot parse a sentence: another sentence begins before its end"
    case .framing(.aborted): "cannot parse a sentence: it contains a byte that is not printable ASCII"
    case .framing(.overlong): "cannot parse a sentence: it has no end"
    case .framing(.malformedChecksum): "cannot parse a sentence: its checksum is not hexadecimal"
    case .framing(.ubxChecksum): "cannot accept a UBX frame: its checksum is wrong"
    case .framing(.rtcm3Checksum): "cannot accept an RTCM 3 frame: its checksum is wrong"
    }
  }
}
