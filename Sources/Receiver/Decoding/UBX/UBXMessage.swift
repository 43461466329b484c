/// ACK-ACK and ACK-NAK: the reply to a configuration message. (2 bytes)
public struct Acknowledgement: Hashable, Sendable {
  /// Whether the receiver accepted the message.
  public var isAccepted: Bool
  /// The identifier of the message to which the receiver replied.
  public var message: UBXIdentifier

  init(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 2 else { throw .payloadLength(identifier, payload.count) }
    isAccepted = identifier == .ack
    message = UBXIdentifier(payload[0], payload[1])
  }
}

/// An error of a frame with a correct checksum.
public enum UBXError: Error, Hashable, Sendable {
  /// The payload has a wrong length. The number is this length in bytes.
  case payloadLength(UBXIdentifier, Int)
  /// The version of the message is not supported.
  case version(UBXIdentifier, UInt8)
}
