import GNSS

/// The configuration messages of u-blox M8 and older receivers. Newer receivers still accept them. (M8 R27 §32.10)
///
/// Some messages have many fields. To change one field, the configurator requests the present content, and sends it
/// back with the changed field.
enum LegacyConfiguration {
  /// The difference between the present and the wanted content of a configuration message.
  enum Change: Hashable, Sendable {
    case needed(frame: [UInt8])
    /// The present content already has the wanted values.
    case none
    case unreadable
  }

  /// Returns the CFG-RATE message that sets the period of the positions. The receiver computes one position for each
  /// measurement, aligned to GPS time.
  static func period(_ milliseconds: UInt16) -> [UInt8] {
    var payload: [UInt8] = []
    payload.appendU2(milliseconds)
    payload.appendU2(1)
    payload.appendU2(1)
    return UBXFrame.encode(.cfgRATE, payload)
  }

  /// Returns the CFG-MSG message that sets the rate of an output message on the receiver's present port. The rate n
  /// means once in n positions.
  static func rate(of message: OutputMessage, _ rate: UInt8) -> [UInt8] {
    let identifier = identifier(of: message)
    return UBXFrame.encode(.cfgMSG, [identifier.messageClass, identifier.id, rate])
  }

  static func dynamicModel(_ model: DynamicModel) -> [UInt8] {
    var payload = [UInt8](repeating: 0, count: 36)
    payload[0] = 0x01
    payload[2] = model.rawValue
    return UBXFrame.encode(.cfgNAV5, payload)
  }

  /// Returns the necessary change of the message CFG-PRT, so that the port sends the protocols UBX and NMEA. `answer`
  /// is the present content.
  static func protocols(_ answer: Span<UInt8>) -> Change {
    guard answer.count == 20 else { return .unreadable }
    var payload = bytes(answer)
    let both: UInt8 = 0x03
    if payload[14] & both == both { return .none }
    payload[14] |= both
    return .needed(frame: UBXFrame.encode(.cfgPRT, payload))
  }

  /// Returns the necessary change of the message CFG-GNSS, so that the receiver uses only the wanted constellations.
  /// `answer` is the present content.
  static func constellations(_ answer: Span<UInt8>, _ wanted: Set<Constellation>) -> Change {
    guard answer.count >= 4, answer.count >= 4 + 8 * Int(answer[3]) else { return .unreadable }
    var payload = bytes(answer)
    var changes = false
    for block in 0..<Int(payload[3]) {
      let offset = 4 + 8 * block
      guard let constellation = Constellation(gnssID: Int(payload[offset])) else { continue }
      let isOn = wanted.contains(constellation)
      guard (payload[offset + 4] & 1 != 0) != isOn else { continue }
      changes = true
      payload[offset + 4] ^= 1
      // An enabled constellation needs at least one channel and one signal.
      if isOn, payload[offset + 2] == 0 { payload[offset + 2] = max(payload[offset + 1], 1) }
      if isOn, payload[offset + 6] == 0 { payload[offset + 6] = 1 }
    }
    return changes ? .needed(frame: UBXFrame.encode(.cfgGNSS, payload)) : .none
  }

  private static func bytes(_ span: Span<UInt8>) -> [UInt8] {
    span.indices.map { span[$0] }
  }

  private static func identifier(of message: OutputMessage) -> UBXIdentifier {
    switch message {
    case .navPVT: .navPVT
    case .navDOP: .navDOP
    case .navSAT: .navSAT
    case .navEOE: .navEOE
    case .navSTATUS: .navSTATUS
    case .monHW: .monHW
    case .monRF: .monRF
    case .secSIG: .secSIG
    case .navTIMELS: .navTIMELS
    case .gga: UBXIdentifier(0xF0, 0x00)
    case .gll: UBXIdentifier(0xF0, 0x01)
    case .gsa: UBXIdentifier(0xF0, 0x02)
    case .gsv: UBXIdentifier(0xF0, 0x03)
    case .rmc: UBXIdentifier(0xF0, 0x04)
    case .vtg: UBXIdentifier(0xF0, 0x05)
    case .gst: UBXIdentifier(0xF0, 0x07)
    case .zda: UBXIdentifier(0xF0, 0x08)
    case .gbs: UBXIdentifier(0xF0, 0x09)
    case .dtm: UBXIdentifier(0xF0, 0x0A)
    case .gns: UBXIdentifier(0xF0, 0x0D)
    }
  }
}
