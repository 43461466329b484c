/// A parsed message of a receiver.
public enum UBXMessage: Hashable, Sendable {
  /// Position, velocity and time.
  case navPVT(NavPVT)
  /// Position, velocity and time between two epochs, from inertial sensors.
  case hnrPVT(NavPVT)
  /// The solution of receivers before u-blox 7.
  case navSOL(NavSOL)
  /// The position of receivers before u-blox 7.
  case navPOSLLH(NavPOSLLH)
  /// The velocity of receivers before u-blox 7.
  case navVELNED(NavVELNED)
  /// The state of the solution.
  case navSTATUS(NavSTATUS)
  /// The time in UTC.
  case navTIMEUTC(NavTIMEUTC)
  /// The GPS time and the leap seconds.
  case navTIMEGPS(NavTIMEGPS)
  /// The satellites that receivers before M8 report.
  case navSVINFO(NavSVINFO)
  /// Dilution of precision.
  case navDOP(NavDOP)
  /// Satellites.
  case navSAT(NavSAT)
  /// The end of the navigation epoch with this GPS time of week in milliseconds. (NAV-EOE)
  case endOfEpoch(timeOfWeek: UInt32)
  /// The version of the receiver.
  case monVER(MonVER)
  /// The receiver's reply to a message: accepted or refused.
  case acknowledgement(Acknowledgement)

  /// Parses a message. Returns nil if its type is not supported.
  /// - Throws: `UBXError` if the payload does not have the message's format.
  public init?(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) throws(UBXError) {
    switch identifier {
    case .navPVT: self = .navPVT(try NavPVT(payload))
    case .hnrPVT: self = .hnrPVT(try NavPVT(highRate: payload))
    case .navSOL: self = .navSOL(try NavSOL(payload))
    case .navPOSLLH: self = .navPOSLLH(try NavPOSLLH(payload))
    case .navHPPOSLLH: self = .navPOSLLH(try NavPOSLLH(highPrecision: payload))
    case .navVELNED: self = .navVELNED(try NavVELNED(payload))
    case .navSTATUS: self = .navSTATUS(try NavSTATUS(payload))
    case .navTIMEUTC: self = .navTIMEUTC(try NavTIMEUTC(payload))
    case .navTIMEGPS: self = .navTIMEGPS(try NavTIMEGPS(payload))
    case .navSVINFO: self = .navSVINFO(try NavSVINFO(payload))
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
