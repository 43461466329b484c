import GNSS

/// The configuration keys of u-blox receivers, for the message CFG-VALSET. Bits 28...30 of a key contain the size of
/// its value. (M10 SPG 5.10 §6.9, F9 HPG 1.32 §5.9)
enum ConfigurationKey {
  /// The key for the period of the measurements. The value is an unsigned 16-bit number in milliseconds.
  static let measurementPeriod: UInt32 = 0x3021_0001
  /// The key for the count of measurements per position solution. The value is an unsigned 16-bit number.
  static let navigationRatio: UInt32 = 0x3021_0002
  static let dynamicModel: UInt32 = 0x2011_0021

  /// Returns the key that switches the output of the UBX protocol on a port. The value is a Boolean. The key for NMEA
  /// is 1 higher.
  static func outputUBX(on port: ReceiverPort) -> UInt32 {
    switch port {
    case .i2c: 0x1072_0001
    case .uart1: 0x1074_0001
    case .uart2: 0x1076_0001
    case .usb: 0x1078_0001
    case .spi: 0x107A_0001
    }
  }

  static func outputNMEA(on port: ReceiverPort) -> UInt32 {
    outputUBX(on: port) + 1
  }

  /// Returns the key for the rate of a message on a port. The value is an unsigned 8-bit number. The key is the sum of
  /// the key for I2C and the number of the port.
  static func rate(of message: OutputMessage, on port: ReceiverPort) -> UInt32 {
    let i2c: UInt32 =
      switch message {
      case .navPVT: 0x2091_0006
      case .navDOP: 0x2091_0038
      case .navSAT: 0x2091_0015
      case .navEOE: 0x2091_015F
      case .navSTATUS: 0x2091_001A
      case .monHW: 0x2091_01B4
      case .monRF: 0x2091_0359
      case .secSIG: 0x2091_0634
      case .navTIMELS: 0x2091_0060
      case .dtm: 0x2091_00A6
      case .rmc: 0x2091_00AB
      case .vtg: 0x2091_00B0
      case .gns: 0x2091_00B5
      case .gga: 0x2091_00BA
      case .gsa: 0x2091_00BF
      case .gsv: 0x2091_00C4
      case .gll: 0x2091_00C9
      case .gst: 0x2091_00D3
      case .zda: 0x2091_00D8
      case .gbs: 0x2091_00DD
      }
    return i2c + port.rawValue
  }

  /// Returns the key that switches a constellation on or off. The value is a Boolean.
  static func enabling(_ constellation: Constellation) -> UInt32 {
    switch constellation {
    case .gps: 0x1031_001F
    case .sbas: 0x1031_0020
    case .galileo: 0x1031_0021
    case .beidou: 0x1031_0022
    case .qzss: 0x1031_0024
    case .glonass: 0x1031_0025
    case .navic: 0x1031_0026
    }
  }
}

enum ValueSet {
  // Values in RAM do not wear out the flash memory. After a power cycle, the receiver has its own settings again.
  private static let ram: UInt8 = 0x01

  static func frame(_ items: [(key: UInt32, value: UInt32)]) -> [UInt8] {
    var payload: [UInt8] = [0, ram, 0, 0]
    for item in items {
      payload.appendU4(item.key)
      switch item.key >> 28 & 7 {
      case 1, 2: payload.append(UInt8(truncatingIfNeeded: item.value))
      case 3: payload.appendU2(UInt16(truncatingIfNeeded: item.value))
      default: payload.appendU4(item.value)
      }
    }
    return UBXFrame.encode(.cfgVALSET, payload)
  }
}

extension ReceiverSettings {
  func items(for setting: ReceiverSetting) -> [(key: UInt32, value: UInt32)] {
    switch setting {
    case .protocols:
      [(ConfigurationKey.outputUBX(on: port), 1), (ConfigurationKey.outputNMEA(on: port), 1)]
    case .message(let message):
      [(ConfigurationKey.rate(of: message, on: port), UInt32(messages[message] ?? 0))]
    case .period:
      [(ConfigurationKey.measurementPeriod, UInt32(period ?? 1000)), (ConfigurationKey.navigationRatio, 1)]
    case .dynamicModel:
      [(ConfigurationKey.dynamicModel, UInt32((dynamicModel ?? .portable).rawValue))]
    case .constellations: systems.map(item)
    case .constellation(let constellation): [item(for: constellation)]
    }
  }

  /// The constellations that the configuration switches on or off. Most receivers do not support NavIC, so the array
  /// contains NavIC only if the settings require NavIC.
  var systems: [Constellation] {
    Constellation.allCases.filter { $0 != .navic || isWanted($0) }
  }

  private func isWanted(_ constellation: Constellation) -> Bool {
    constellations?.contains(constellation) ?? false
  }

  private func item(for constellation: Constellation) -> (key: UInt32, value: UInt32) {
    (ConfigurationKey.enabling(constellation), isWanted(constellation) ? 1 : 0)
  }

  /// Returns the necessary change of a configuration message, from its present content in the receiver.
  func change(of identifier: UBXIdentifier, _ payload: Span<UInt8>) -> LegacyConfiguration.Change {
    identifier == .cfgPRT
      ? LegacyConfiguration.protocols(payload)
      : LegacyConfiguration.constellations(payload, constellations ?? [])
  }
}
