import Framing

/// What a frame is of: its class and its id.
public struct UBXIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The first of the two bytes.
  public var messageClass: UInt8
  /// The second.
  public var id: UInt8

  /// A class and a number in it.
  public init(_ messageClass: UInt8, _ id: UInt8) {
    self.messageClass = messageClass
    self.id = id
  }

  /// Position, velocity and time.
  public static let navPVT = UBXIdentifier(0x01, 0x07)
  /// Dilution of precision.
  public static let navDOP = UBXIdentifier(0x01, 0x04)
  /// Satellites.
  public static let navSAT = UBXIdentifier(0x01, 0x35)
  /// The end of an epoch.
  public static let navEOE = UBXIdentifier(0x01, 0x61)
  /// A message was refused.
  public static let nak = UBXIdentifier(0x05, 0x00)
  /// A message was accepted.
  public static let ack = UBXIdentifier(0x05, 0x01)
  /// What the receiver is.
  public static let monVER = UBXIdentifier(0x0A, 0x04)
  static let cfgPRT = UBXIdentifier(0x06, 0x00)
  static let cfgMSG = UBXIdentifier(0x06, 0x01)
  static let cfgRATE = UBXIdentifier(0x06, 0x08)
  static let cfgNAV5 = UBXIdentifier(0x06, 0x24)
  static let cfgGNSS = UBXIdentifier(0x06, 0x3E)
  static let cfgVALSET = UBXIdentifier(0x06, 0x8A)

  /// As in `06-8a`.
  public var description: String {
    [messageClass, id].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: "-")
  }
}

/// Writes frames: B5 62, class, id, length, payload, checksum.
public enum UBXFrame {
  /// The longest payload that a length field can say.
  public static let maximumPayload = 65_535

  /// The bytes of a frame, with its checksum.
  /// - Parameters:
  ///   - identifier: the message's class and id.
  ///   - payload: at most `maximumPayload` bytes; without any, most messages are a question for their content.
  public static func encode(_ identifier: UBXIdentifier, _ payload: [UInt8] = []) -> [UInt8] {
    precondition(payload.count <= maximumPayload, "a UBX payload has at most 65535 bytes")
    var frame: [UInt8] = [0xB5, 0x62, identifier.messageClass, identifier.id]
    frame.reserveCapacity(payload.count + 8)
    frame.appendU2(UInt16(payload.count))
    frame += payload
    let (first, second) = BinaryChecksum.fletcher(frame.span, in: 2..<frame.count)
    frame.append(first)
    frame.append(second)
    return frame
  }
}
