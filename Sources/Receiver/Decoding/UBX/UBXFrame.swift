/// The type of a UBX message: a class and an id within the class.
public struct UBXIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The message class, the first byte of the identifier.
  public var messageClass: UInt8
  /// The id within the class, the second byte of the identifier.
  public var id: UInt8

  /// Creates an identifier from a message class and an id.
  public init(_ messageClass: UInt8, _ id: UInt8) {
    self.messageClass = messageClass
    self.id = id
  }

  /// NAV-POSLLH: the position, from receivers before u-blox 7.
  public static let navPOSLLH = UBXIdentifier(0x01, 0x02)
  /// NAV-HPPOSLLH: the position with a higher resolution.
  public static let navHPPOSLLH = UBXIdentifier(0x01, 0x14)
  /// NAV-STATUS: whether the receiver has a fix, and whether it detects spoofing.
  public static let navSTATUS = UBXIdentifier(0x01, 0x03)
  /// NAV-SOL: the position solution, from receivers before u-blox 7.
  public static let navSOL = UBXIdentifier(0x01, 0x06)
  /// NAV-VELNED: the velocity, from receivers before u-blox 7.
  public static let navVELNED = UBXIdentifier(0x01, 0x12)
  /// NAV-TIMEGPS: the GPS time and the count of leap seconds.
  public static let navTIMEGPS = UBXIdentifier(0x01, 0x20)
  /// NAV-TIMEUTC: the date and time in UTC.
  public static let navTIMEUTC = UBXIdentifier(0x01, 0x21)
  /// NAV-TIMELS: the next leap second.
  public static let navTIMELS = UBXIdentifier(0x01, 0x26)
  /// NAV-SVINFO: the satellites in view, from receivers before M8.
  public static let navSVINFO = UBXIdentifier(0x01, 0x30)
  /// NAV-PVT: position, velocity and time.
  public static let navPVT = UBXIdentifier(0x01, 0x07)
  /// NAV-DOP: the dilutions of precision.
  public static let navDOP = UBXIdentifier(0x01, 0x04)
  /// NAV-SAT: the satellites in view.
  public static let navSAT = UBXIdentifier(0x01, 0x35)
  /// NAV-EOE: the end of the messages of one instant.
  public static let navEOE = UBXIdentifier(0x01, 0x61)
  /// ACK-NAK: the receiver has refused a configuration message.
  public static let nak = UBXIdentifier(0x05, 0x00)
  /// ACK-ACK: the receiver has accepted a configuration message.
  public static let ack = UBXIdentifier(0x05, 0x01)
  /// MON-VER: the version of the receiver.
  public static let monVER = UBXIdentifier(0x0A, 0x04)
  /// HNR-PVT: position, velocity and time between two NAV-PVT messages, from receivers with inertial sensors.
  public static let hnrPVT = UBXIdentifier(0x28, 0x00)
  /// MON-HW: the state of the receiver's hardware, with the detection of jamming.
  public static let monHW = UBXIdentifier(0x0A, 0x09)
  /// MON-RF: the state of the receiver's radio, with the detection of jamming.
  public static let monRF = UBXIdentifier(0x0A, 0x38)
  /// SEC-SIG: the detection of spoofing and jamming.
  public static let secSIG = UBXIdentifier(0x27, 0x09)
  static let cfgPRT = UBXIdentifier(0x06, 0x00)
  static let cfgMSG = UBXIdentifier(0x06, 0x01)
  static let cfgRATE = UBXIdentifier(0x06, 0x08)
  static let cfgNAV5 = UBXIdentifier(0x06, 0x24)
  static let cfgGNSS = UBXIdentifier(0x06, 0x3E)
  static let cfgVALSET = UBXIdentifier(0x06, 0x8A)

  /// The names of the supported messages, as in the manuals of u-blox.
  private static let names: [UBXIdentifier: String] = [
    .navPVT: "NAV-PVT", .hnrPVT: "HNR-PVT", .navSOL: "NAV-SOL", .navPOSLLH: "NAV-POSLLH",
    .navHPPOSLLH: "NAV-HPPOSLLH", .navVELNED: "NAV-VELNED", .navSTATUS: "NAV-STATUS", .navTIMEUTC: "NAV-TIMEUTC",
    .navTIMEGPS: "NAV-TIMEGPS", .navTIMELS: "NAV-TIMELS", .navSVINFO: "NAV-SVINFO", .navDOP: "NAV-DOP",
    .navSAT: "NAV-SAT", .navEOE: "NAV-EOE", .monVER: "MON-VER", .monHW: "MON-HW", .monRF: "MON-RF",
    .secSIG: "SEC-SIG", .ack: "ACK-ACK", .nak: "ACK-NAK",
  ]

  /// The name of the message in the manuals of u-blox, for example `NAV-PVT`. For an unsupported message, the value is
  /// class and id in hexadecimal, for example `06-8a`.
  public var description: String {
    UBXIdentifier.names[self]
      ?? [messageClass, id].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: "-")
  }
}

/// The encoding of UBX frames: 0xB5, 0x62, class, id, length, payload, and checksum.
public enum UBXFrame {
  /// The maximum length of a payload in bytes. The length field of a frame has 16 bits.
  public static let maximumPayload = 65_535

  /// Returns the bytes of a UBX frame with its checksum. A frame with an empty payload usually requests the present
  /// content of the message.
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
