/// A message of a receiver that is read, typed.
public enum UBXMessage: Hashable, Sendable {
  /// Position, velocity and time.
  case navPVT(NavPVT)
  /// Dilution of precision.
  case navDOP(NavDOP)
  /// Satellites.
  case navSAT(NavSAT)
  /// NAV-EOE: nothing more comes of the navigation epoch at that GPS time of week, milliseconds.
  case endOfEpoch(timeOfWeek: UInt32)
  /// What the receiver is.
  case monVER(MonVER)
  /// A message was accepted, or refused.
  case acknowledgement(Acknowledgement)

  /// - Parameters:
  ///   - identifier: the frame's class and id.
  ///   - payload: of a frame whose checksum is right.
  /// - Returns: nil for a message that is not read.
  /// - Throws: `UBXError` where the payload is not what the message has.
  public init?(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) throws(UBXError) {
    switch identifier {
    case .navPVT: self = .navPVT(try NavPVT(payload))
    case .navDOP: self = .navDOP(try NavDOP(payload))
    case .navSAT: self = .navSAT(try NavSAT(payload))
    case .navEOE: self = .endOfEpoch(timeOfWeek: try UBXMessage.endOfEpoch(payload))
    case .monVER: self = .monVER(try MonVER(payload))
    case .ack, .nak: self = .acknowledgement(try Acknowledgement(identifier, payload))
    default: return nil
    }
  }

  static func endOfEpoch(_ payload: Span<UInt8>) throws(UBXError) -> UInt32 {
    guard payload.count >= 4 else { throw .payloadLength(.navEOE, payload.count) }
    return payload.u4(at: 0)
  }
}

/// ACK-ACK and ACK-NAK: the answer to a configuration message. (2 bytes)
public struct Acknowledgement: Hashable, Sendable {
  /// Whether the receiver took it.
  public var isAccepted: Bool
  /// What is answered.
  public var message: UBXIdentifier

  init(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 2 else { throw .payloadLength(identifier, payload.count) }
    isAccepted = identifier == .ack
    message = UBXIdentifier(payload[0], payload[1])
  }
}

/// Why a frame whose checksum is right is not read.
public enum UBXError: Error, Hashable, Sendable {
  /// The payload is not as long as the message is, in bytes.
  case payloadLength(UBXIdentifier, Int)
  /// The message is of a version that is not known.
  case version(UBXIdentifier, UInt8)
}
