/// The identifier of a message, which consists of a class and an id.
public struct UBXIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The class, the first byte.
  public var messageClass: UInt8
  /// The id, the second byte.
  public var id: UInt8

  /// Creates an identifier from class and id.
  public init(_ messageClass: UInt8, _ id: UInt8) {
    self.messageClass = messageClass
    self.id = id
  }

  /// The position of receivers before u-blox 7.
  public static let navPOSLLH = UBXIdentifier(0x01, 0x02)
  /// The position with further digits.
  public static let navHPPOSLLH = UBXIdentifier(0x01, 0x14)
  /// The state of the solution.
  public static let navSTATUS = UBXIdentifier(0x01, 0x03)
  /// The solution of receivers before u-blox 7.
  public static let navSOL = UBXIdentifier(0x01, 0x06)
  /// The velocity of receivers before u-blox 7.
  public static let navVELNED = UBXIdentifier(0x01, 0x12)
  /// The GPS time and the leap seconds.
  public static let navTIMEGPS = UBXIdentifier(0x01, 0x20)
  /// The time in UTC.
  public static let navTIMEUTC = UBXIdentifier(0x01, 0x21)
  /// The next leap second.
  public static let navTIMELS = UBXIdentifier(0x01, 0x26)
  /// The satellites that receivers before M8 report.
  public static let navSVINFO = UBXIdentifier(0x01, 0x30)
  /// Position, velocity and time.
  public static let navPVT = UBXIdentifier(0x01, 0x07)
  /// Dilution of precision.
  public static let navDOP = UBXIdentifier(0x01, 0x04)
  /// Satellites.
  public static let navSAT = UBXIdentifier(0x01, 0x35)
  /// The end of an epoch.
  public static let navEOE = UBXIdentifier(0x01, 0x61)
  /// A negative acknowledgement: the receiver refused a message.
  public static let nak = UBXIdentifier(0x05, 0x00)
  /// A positive acknowledgement: the receiver accepted a message.
  public static let ack = UBXIdentifier(0x05, 0x01)
  /// The version of the receiver.
  public static let monVER = UBXIdentifier(0x0A, 0x04)
  /// Position, velocity and time between two epochs.
  public static let hnrPVT = UBXIdentifier(0x28, 0x00)
  /// The state of the receiver's hardware, with interference.
  public static let monHW = UBXIdentifier(0x0A, 0x09)
  /// The state of the receiver's radio, with interference.
  public static let monRF = UBXIdentifier(0x0A, 0x38)
  /// Attacks on the signals.
  public static let secSIG = UBXIdentifier(0x27, 0x09)
  static let cfgPRT = UBXIdentifier(0x06, 0x00)
  static let cfgMSG = UBXIdentifier(0x06, 0x01)
  static let cfgRATE = UBXIdentifier(0x06, 0x08)
  static let cfgNAV5 = UBXIdentifier(0x06, 0x24)
  static let cfgGNSS = UBXIdentifier(0x06, 0x3E)
  static let cfgVALSET = UBXIdentifier(0x06, 0x8A)

  /// The names of the supported messages in the manuals of u-blox.
  private static let names: [UBXIdentifier: String] = [
    .navPVT: "NAV-PVT", .hnrPVT: "HNR-PVT", .navSOL: "NAV-SOL", .navPOSLLH: "NAV-POSLLH",
    .navHPPOSLLH: "NAV-HPPOSLLH", .navVELNED: "NAV-VELNED", .navSTATUS: "NAV-STATUS", .navTIMEUTC: "NAV-TIMEUTC",
    .navTIMEGPS: "NAV-TIMEGPS", .navTIMELS: "NAV-TIMELS", .navSVINFO: "NAV-SVINFO", .navDOP: "NAV-DOP",
    .navSAT: "NAV-SAT", .navEOE: "NAV-EOE", .monVER: "MON-VER", .monHW: "MON-HW", .monRF: "MON-RF",
    .secSIG: "SEC-SIG", .ack: "ACK-ACK", .nak: "ACK-NAK",
  ]

  /// The name in the manuals of u-blox, for example `NAV-PVT`. For an unsupported message, class and id in hexadecimal, for
  /// example `06-8a`.
  public var description: String {
    UBXIdentifier.names[self]
      ?? [messageClass, id].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: "-")
  }
}

/// An encoder for frames: 0xB5, 0x62, class, id, length, payload, and checksum.
public enum UBXFrame {
  /// The maximum length of a payload in bytes. The length field has 16 bits.
  public static let maximumPayload = 65_535

  /// Returns the bytes of a frame with its checksum. An empty payload usually requests the current content of a
  /// message.
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
