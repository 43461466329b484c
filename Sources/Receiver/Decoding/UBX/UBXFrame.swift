/// The type of a UBX message: a class and an id within the class.
public struct UBXIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The first byte of the identifier, which stands for a group of messages.
  public var messageClass: UInt8
  /// The second byte of the identifier, which stands for a message within its class.
  public var id: UInt8

  /// Creates an identifier from its two bytes.
  public init(_ messageClass: UInt8, _ id: UInt8) {
    self.messageClass = messageClass
    self.id = id
  }

  /// The identifier of NAV-POSLLH, the position from receivers before u-blox 7.
  public static let navPOSLLH = UBXIdentifier(0x01, 0x02)
  /// The identifier of NAV-HPPOSLLH, a position with a higher resolution.
  public static let navHPPOSLLH = UBXIdentifier(0x01, 0x14)
  /// The identifier of NAV-STATUS, which tells whether the receiver has a fix, and whether it detects spoofing.
  public static let navSTATUS = UBXIdentifier(0x01, 0x03)
  /// The identifier of NAV-SOL, the position solution from receivers before u-blox 7.
  public static let navSOL = UBXIdentifier(0x01, 0x06)
  /// The identifier of NAV-VELNED, the velocity from receivers before u-blox 7.
  public static let navVELNED = UBXIdentifier(0x01, 0x12)
  /// The identifier of NAV-TIMEGPS, the GPS time with the count of leap seconds.
  public static let navTIMEGPS = UBXIdentifier(0x01, 0x20)
  /// The identifier of NAV-TIMEUTC, the date and time in UTC.
  public static let navTIMEUTC = UBXIdentifier(0x01, 0x21)
  /// The identifier of NAV-TIMELS, which announces the next leap second.
  public static let navTIMELS = UBXIdentifier(0x01, 0x26)
  /// The identifier of NAV-SVINFO, the satellites in view from receivers before M8.
  public static let navSVINFO = UBXIdentifier(0x01, 0x30)
  /// The identifier of NAV-PVT: position, velocity and time.
  public static let navPVT = UBXIdentifier(0x01, 0x07)
  /// The identifier of NAV-DOP, the dilutions of precision.
  public static let navDOP = UBXIdentifier(0x01, 0x04)
  /// The identifier of NAV-SAT, the satellites in view.
  public static let navSAT = UBXIdentifier(0x01, 0x35)
  /// The identifier of NAV-EOE, the last message of one instant (end of epoch).
  public static let navEOE = UBXIdentifier(0x01, 0x61)
  /// The identifier of ACK-NAK: the receiver has refused a configuration message.
  public static let nak = UBXIdentifier(0x05, 0x00)
  /// The identifier of ACK-ACK: the receiver has accepted a configuration message.
  public static let ack = UBXIdentifier(0x05, 0x01)
  /// The identifier of MON-VER, the version of the receiver.
  public static let monVER = UBXIdentifier(0x0A, 0x04)
  /// The identifier of HNR-PVT: position, velocity and time between two NAV-PVT messages, from receivers with inertial
  /// sensors.
  public static let hnrPVT = UBXIdentifier(0x28, 0x00)
  /// The identifier of MON-HW, the state of the receiver's hardware with the detection of jamming.
  public static let monHW = UBXIdentifier(0x0A, 0x09)
  /// The identifier of MON-RF, the state of the receiver's radio with the detection of jamming.
  public static let monRF = UBXIdentifier(0x0A, 0x38)
  /// The identifier of SEC-SIG, the detection of spoofing and jamming.
  public static let secSIG = UBXIdentifier(0x27, 0x09)
  static let cfgPRT = UBXIdentifier(0x06, 0x00)
  static let cfgMSG = UBXIdentifier(0x06, 0x01)
  static let cfgRATE = UBXIdentifier(0x06, 0x08)
  static let cfgNAV5 = UBXIdentifier(0x06, 0x24)
  static let cfgGNSS = UBXIdentifier(0x06, 0x3E)
  static let cfgVALSET = UBXIdentifier(0x06, 0x8A)

  /// The names of the supported messages in the manuals of u-blox. The key is the identifier.
  private static let names: [UBXIdentifier: String] = [
    .navPVT: "NAV-PVT", .hnrPVT: "HNR-PVT", .navSOL: "NAV-SOL", .navPOSLLH: "NAV-POSLLH",
    .navHPPOSLLH: "NAV-HPPOSLLH", .navVELNED: "NAV-VELNED", .navSTATUS: "NAV-STATUS", .navTIMEUTC: "NAV-TIMEUTC",
    .navTIMEGPS: "NAV-TIMEGPS", .navTIMELS: "NAV-TIMELS", .navSVINFO: "NAV-SVINFO", .navDOP: "NAV-DOP",
    .navSAT: "NAV-SAT", .navEOE: "NAV-EOE", .monVER: "MON-VER", .monHW: "MON-HW", .monRF: "MON-RF",
    .secSIG: "SEC-SIG", .ack: "ACK-ACK", .nak: "ACK-NAK",
  ]

  /// The name of the message in the manuals of u-blox, for example `NAV-PVT`. For an unsupported message, the text
  /// contains class and id in hexadecimal, for example `06-8a`.
  public var description: String {
    UBXIdentifier.names[self]
      ?? [messageClass, id].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: "-")
  }
}

/// The encoder of UBX frames, which consist of 0xB5, 0x62, class, id, length, payload, and checksum.
public enum UBXFrame {
  /// The maximum length of a payload in bytes, because the length field has 16 bits.
  public static let maximumPayload = 65_535

  /// Returns the bytes of a UBX frame with a payload and its checksum. A frame with an empty payload usually requests
  /// the present content of the message.
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
