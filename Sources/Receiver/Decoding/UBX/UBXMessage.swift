/// The receiver's reply to a configuration message: the UBX message ACK-ACK (accepted) or ACK-NAK (refused). (2 bytes)
public struct Acknowledgement: Hashable, Sendable {
  /// Whether the receiver has accepted the configuration message.
  public var isAccepted: Bool
  /// The type of the configuration message that the receiver accepted or refused.
  public var message: UBXIdentifier

  init(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 2 else { throw .payloadLength(identifier, payload.count) }
    isAccepted = identifier == .ack
    message = UBXIdentifier(payload[0], payload[1])
  }
}

/// An error in the payload of a UBX frame whose checksum is correct.
public enum UBXError: Error, Hashable, Sendable {
  /// The payload is too short or too long for its message type. The number is the actual length in bytes.
  case payloadLength(UBXIdentifier, Int)
  /// The decoder does not support this version of the message. The number is the version in the payload.
  case version(UBXIdentifier, UInt8)
}
