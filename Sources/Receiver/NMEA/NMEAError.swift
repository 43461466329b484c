public import Framing

/// Why a line is no valid sentence. It never holds a field's content, which may be a position.
public enum NMEAError: Error, Hashable, Sendable {
  /// The line has no address of a talker and a type.
  case malformedAddress
  /// It has none where one is required.
  case missingChecksum
  /// It has another than its content gives.
  case checksumMismatch(computed: UInt8, received: UInt8)
  /// The frame around it is broken.
  case framing(FramingError)
  /// The sentence has more or fewer fields than its type allows.
  case fieldCount(SentenceType, Int)
  /// A field cannot be read, or is out of its range. Fields are counted from 1, as the standard does.
  case invalidField(SentenceType, field: Int)

  /// The same without the details: what counters count by.
  public enum Cause: Hashable, Sendable, CaseIterable {
    /// What is wrong with the frame, the address or the checksum.
    case malformedAddress, missingChecksum, checksumMismatch, malformedChecksum, interrupted, aborted, overlong
    /// What is wrong with a binary frame, the number of fields, or one of them.
    case ubxChecksum, rtcm3Checksum, fieldCount, invalidField
  }

  /// The error without its details.
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
    case .malformedAddress: "cannot read a line: it has no talker and type"
    case .missingChecksum: "cannot trust a sentence: it has no checksum, as some old receivers send none"
    case .checksumMismatch(let computed, let received):
      "cannot trust a sentence: its checksum is \(String(received, radix: 16)), its content gives "
        + "\(String(computed, radix: 16)) (noise on the line, or a wrong baud rate?)"
    case .fieldCount(let type, let count): "cannot read \(type): it has \(count) fields"
    case .invalidField(let type, let field): "cannot read \(type): field \(field) is malformed or out of its range"
    case .framing(.interrupted): "cannot read a sentence: another begins before its end"
    case .framing(.aborted): "cannot read a sentence: it contains a byte that is no text"
    case .framing(.overlong): "cannot read a sentence: it has no end"
    case .framing(.malformedChecksum): "cannot read a sentence: its checksum is not hexadecimal"
    case .framing(.ubxChecksum): "cannot trust a UBX frame: its checksum is wrong"
    case .framing(.rtcm3Checksum): "cannot trust an RTCM 3 frame: its checksum is wrong"
    }
  }
}
