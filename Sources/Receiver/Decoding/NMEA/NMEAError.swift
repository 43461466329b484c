/// The reason why the decoder rejects a text line or a frame. The error does not contain the text of a field, because a
/// field may be a position.
public enum NMEAError: Error, Hashable, Sendable {
  /// The line does not begin with the two letters of a talker (the sender) and the three letters of an NMEA sentence
  /// type.
  case malformedAddress
  /// The sentence has no checksum, although `NMEAConfiguration.requiresChecksum` is true.
  case missingChecksum
  /// The checksum of the NMEA sentence is wrong. `computed` is the correct checksum of the content, and `received` is
  /// the checksum in the sentence.
  case checksumMismatch(computed: UInt8, received: UInt8)
  /// The frame (a sentence or a binary message) is incomplete or malformed.
  case framing(FramingError)
  /// The NMEA sentence has too few fields. The number is the count of fields in the sentence.
  case fieldCount(SentenceType, Int)
  /// A field is malformed or out of range. The number of the first field is 1, as in the standard.
  case invalidField(SentenceType, field: Int)

  /// The kind of an error without its details, as the key for counts of errors.
  public enum Cause: Hashable, Sendable, CaseIterable {
    /// Errors of a text line: its address, its checksum or its format.
    case malformedAddress, missingChecksum, checksumMismatch, malformedChecksum, interrupted, aborted, overlong
    /// Errors of a binary checksum, and errors in the fields of an NMEA sentence.
    case ubxChecksum, rtcm3Checksum, fieldCount, invalidField
  }

  /// The kind of this error without details, for counts of errors.
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
