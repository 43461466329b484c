/// The UBX message ACK-ACK or ACK-NAK: the receiver's reply to a configuration message. (2 bytes)
public struct Acknowledgement: Hashable, Sendable {
  /// Whether the receiver has accepted the configuration message.
  public var isAccepted: Bool
  /// The type of the configuration message to which the receiver replied.
  public var message: UBXIdentifier

  init(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 2 else { throw .payloadLength(identifier, payload.count) }
    isAccepted = identifier == .ack
    message = UBXIdentifier(payload[0], payload[1])
  }
}

/// An error in the payload of a UBX frame whose checksum is correct.
public enum UBXError: Error, Hashable, Sendable {
  /// The payload has a wrong length. The number is the actual length in bytes.
  case payloadLength(UBXIdentifier, Int)
  /// The version of the message is not supported. The number is the actual version.
  case version(UBXIdentifier, UInt8)
}
