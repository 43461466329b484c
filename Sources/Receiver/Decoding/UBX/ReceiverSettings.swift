public import GNSS

/// The settings for a receiver. The receiver keeps its own value for a missing setting.
public struct ReceiverSettings: Hashable, Sendable {
  /// The receiver's port that is connected to this machine.
  public var port: ReceiverPort
  /// The period of navigation epochs in milliseconds, 25...65,535.
  public var period: UInt16?
  /// The rate of each message on the port. The rate n means once in n epochs. The rate 0 means never.
  public var messages: [OutputMessage: UInt8]
  /// The systems to use, if the receiver supports them. All other systems are switched off.
  public var constellations: Set<Constellation>?
  /// The dynamic model of the receiver's motion.
  public var dynamicModel: DynamicModel?

  /// Creates settings that change only the given values.
  public init(
    port: ReceiverPort, period: UInt16? = nil, messages: [OutputMessage: UInt8] = [:],
    constellations: Set<Constellation>? = nil, dynamicModel: DynamicModel? = nil
  ) {
    self.port = port
    self.period = period
    self.messages = messages
    self.constellations = constellations
    self.dynamicModel = dynamicModel
  }

  /// The complete solution, its errors and the satellites in a few hundred bytes. Redundant sentences are off. RMC and
  /// GST stay on for programs that read only sentences.
  public static let completeMessages: [OutputMessage: UInt8] = [
    .navPVT: 1, .navDOP: 1, .navSAT: 1, .navEOE: 1, .navSTATUS: 1, .monHW: 5, .monRF: 5, .secSIG: 5, .navTIMELS: 5,
    .rmc: 1, .gst: 1, .gga: 0, .gll: 0, .gsa: 0, .gsv: 0, .vtg: 0,
  ]

  /// Sentences for every program, without binary messages. GST contains the errors. GLL is off, because RMC contains
  /// the same data.
  public static let sentenceMessages: [OutputMessage: UInt8] = [
    .gga: 1, .gsa: 1, .gsv: 1, .rmc: 1, .vtg: 1, .gst: 1, .zda: 1, .gll: 0, .navPVT: 0, .navDOP: 0, .navSAT: 0,
    .navEOE: 0, .navSTATUS: 0, .monHW: 0, .monRF: 0, .secSIG: 0, .navTIMELS: 0,
  ]

  /// The messages that u-blox receivers send by default, once a second. (M8 R27 §31, M10 SPG 5.10 §A)
  public static let factoryMessages: [OutputMessage: UInt8] = [.gga: 1, .gll: 1, .gsa: 1, .gsv: 1, .rmc: 1, .vtg: 1]

  /// Returns settings that select `completeMessages` on a port and set the period in milliseconds.
  public static func complete(port: ReceiverPort, period: UInt16?) -> ReceiverSettings {
    ReceiverSettings(port: port, period: period, messages: completeMessages)
  }

  /// These settings with the sentences that `completeMessages` replaces by NAV-PVT. Receivers before u-blox 7 and
  /// receivers of other makes have no NAV-PVT. Without the sentences, only RMC would remain, which has no altitude.
  public var replacingSolution: ReceiverSettings {
    var settings = self
    for message in [OutputMessage.gga, .gsa, .gsv, .vtg] where messages[message] == 0 { settings.messages[message] = 1 }
    return settings
  }

  /// The number of bytes per second that the messages need with 32 satellites in view; nil if the period between two
  /// epochs (`period`) is unknown.
  ///
  /// The capacity of a serial line in bytes per second is a tenth of its speed in bits per second. An I2C bus at 100
  /// kHz carries about 11,000 bytes per second. A receiver drops the messages that exceed the capacity.
  public var bytesPerSecond: Double? {
    guard let period, period > 0 else { return nil }
    let perEpoch = messages.reduce(0.0) { $0 + ($1.value == 0 ? 0 : Double($1.key.typicalLength) / Double($1.value)) }
    return perEpoch * 1000 / Double(period)
  }

  /// An estimate of the bytes per second, with the factory default for each missing setting. Nil if the period is
  /// missing and the rate of a factory message is also missing.
  public var expectedBytesPerSecond: Double? {
    let isWhole = ReceiverSettings.factoryMessages.keys.allSatisfy { messages[$0] != nil }
    guard period != nil || isWhole else { return nil }
    var expected = self
    expected.period = period ?? 1000
    expected.messages.merge(ReceiverSettings.factoryMessages) { set, _ in set }
    return expected.bytesPerSecond
  }
}

/// The ports of a receiver, in the order of their keys. (M10 SPG 5.10 §6.9.15, CFG-MSGOUT)
public enum ReceiverPort: UInt32, Hashable, Sendable, CaseIterable {
  /// I2C, named DDC by u-blox.
  case i2c = 0
  /// The first serial port.
  case uart1 = 1
  /// The second serial port, if the receiver has one.
  case uart2 = 2
  /// USB.
  case usb = 3
  /// SPI.
  case spi = 4

  /// The name of the port, for example `uart1`.
  public var name: String {
    switch self {
    case .i2c: "i2c"
    case .uart1: "uart1"
    case .uart2: "uart2"
    case .usb: "usb"
    case .spi: "spi"
    }
  }
}

/// A message that a receiver sends periodically.
public enum OutputMessage: String, Hashable, Sendable, CaseIterable {
  /// Position, velocity and time, with their errors: UBX-NAV-PVT.
  case navPVT = "nav-pvt"
  /// Dilution of precision: UBX-NAV-DOP.
  case navDOP = "nav-dop"
  /// Satellites: UBX-NAV-SAT.
  case navSAT = "nav-sat"
  /// The end of an epoch: UBX-NAV-EOE.
  case navEOE = "nav-eoe"
  /// The state of the solution, with false signals: UBX-NAV-STATUS.
  case navSTATUS = "nav-status"
  /// Interference, from receivers before M10: UBX-MON-HW.
  case monHW = "mon-hw"
  /// Interference, from M9 and newer receivers: UBX-MON-RF.
  case monRF = "mon-rf"
  /// False signals and interference, from M10 and newer receivers: UBX-SEC-SIG.
  case secSIG = "sec-sig"
  /// The next leap second: UBX-NAV-TIMELS.
  case navTIMELS = "nav-timels"
  /// The NMEA sentence whose name is the name of the case.
  case gga, gll, gsa, gsv, rmc, vtg, gst, zda, gns, gbs, dtm

  /// Whether the message is an NMEA sentence.
  public var isSentence: Bool {
    switch self {
    case .navPVT, .navDOP, .navSAT, .navEOE, .navSTATUS, .monHW, .monRF, .secSIG, .navTIMELS: false
    case .gga, .gll, .gsa, .gsv, .rmc, .vtg, .gst, .zda, .gns, .gbs, .dtm: true
    }
  }

  /// Whether the message contains a position.
  public var hasPosition: Bool {
    switch self {
    case .navPVT, .gga, .gll, .rmc, .gns: true
    case .navDOP, .navSAT, .navEOE, .navTIMELS, .navSTATUS, .monHW, .monRF, .secSIG, .gsa, .gsv, .vtg, .gst, .zda, .gbs,
      .dtm:
      false
    }
  }

  /// Whether only some receivers have the message, so that its refusal is not an error.
  var isOptional: Bool { [.monHW, .monRF, .secSIG, .navTIMELS].contains(self) }

  /// The typical number of bytes in one epoch. The number includes all sentences of a group, with line ends and
  /// checksums.
  var typicalLength: Int {
    switch self {
    case .navPVT: 100
    case .navDOP: 26
    case .navSAT: 16 + 12 * 32
    case .navEOE: 12
    case .navSTATUS: 24
    case .monHW: 68
    case .monRF: 60
    case .secSIG: 20
    case .navTIMELS: 32
    case .gga: 76
    case .gll: 52
    case .gsa: 4 * 62
    case .gsv: 8 * 70
    case .rmc: 74
    case .vtg: 42
    case .gst: 60
    case .zda: 38
    case .gns: 80
    case .gbs: 50
    case .dtm: 46
    }
  }
}

/// The expected motion of the antenna, with which the receiver excludes implausible solutions. (CFG-NAVSPG-DYNMODEL,
/// CFG-NAV5 dynModel)
public enum DynamicModel: UInt8, Hashable, Sendable, CaseIterable {
  /// General use, at a speed of up to 310 m/s.
  case portable = 0
  /// No motion.
  case stationary = 2
  /// A pedestrian.
  case pedestrian = 3
  /// A car.
  case automotive = 4
  /// A ship, at sea level.
  case sea = 5
  /// An aircraft with an acceleration of up to 1 g.
  case airborne1g = 6
  /// An aircraft with an acceleration of up to 2 g.
  case airborne2g = 7
  /// An aircraft with an acceleration of up to 4 g.
  case airborne4g = 8
  /// A wrist-worn device.
  case wrist = 9

  /// The name of the model, for example `airborne-1g`.
  public var name: String {
    switch self {
    case .portable: "portable"
    case .stationary: "stationary"
    case .pedestrian: "pedestrian"
    case .automotive: "automotive"
    case .sea: "sea"
    case .airborne1g: "airborne-1g"
    case .airborne2g: "airborne-2g"
    case .airborne4g: "airborne-4g"
    case .wrist: "wrist"
    }
  }
}

/// A setting that is sent and acknowledged separately.
public enum ReceiverSetting: Hashable, Sendable {
  /// UBX and NMEA output on the port.
  case protocols
  /// The rate of a message.
  case message(OutputMessage)
  /// The period of epochs.
  case period
  /// The dynamic model of the receiver's motion.
  case dynamicModel
  /// All satellite systems in one message.
  case constellations
  /// One satellite system, sent separately after the receiver has refused all systems in one message.
  case constellation(Constellation)
}

extension ReceiverSettings {
  /// Returns the name of a setting and of the wanted value as one word, for example `rate`, `gst` or `gll-off`.
  public func name(of setting: ReceiverSetting) -> String {
    switch setting {
    case .protocols: "protocols"
    case .message(let message): message.rawValue + (messages[message] == 0 ? "-off" : "")
    case .period: "rate"
    case .dynamicModel: "dynamic-model"
    case .constellations: "constellations"
    case .constellation(let constellation):
      constellation.rawValue + (constellations?.contains(constellation) ?? false ? "" : "-off")
    }
  }
}

/// The results of the attempt to configure a receiver, one for each setting.
public struct ConfigurationReport: Hashable, Sendable {
  /// The result of one setting.
  public enum Outcome: Hashable, Sendable {
    /// The receiver acknowledged the setting.
    case applied
    /// The receiver does not know the setting, or refuses it.
    case refused
    /// The receiver did not answer.
    case unanswered
  }

  /// A setting with its result.
  public struct Entry: Hashable, Sendable {
    /// The setting.
    public var setting: ReceiverSetting
    /// The result.
    public var outcome: Outcome

    /// Creates an entry.
    public init(setting: ReceiverSetting, outcome: Outcome) {
      self.setting = setting
      self.outcome = outcome
    }
  }

  /// The version of a u-blox receiver; nil if no u-blox receiver answered.
  public internal(set) var version: MonVER?
  /// The name of the receiver; nil if the receiver did not answer. Without an answer, no settings were sent.
  public internal(set) var receiver: String?
  /// The model; nil if the receiver does not report it.
  public internal(set) var model: String?
  /// The results in chronological order.
  public internal(set) var entries: [Entry] = []

  /// Creates the report about a receiver that answered, before the first result.
  package init(model: String) {
    (receiver, self.model) = (model, model)
  }

  init() {}

  /// Adds the result of a setting.
  package mutating func record(_ outcome: Outcome, of setting: ReceiverSetting) {
    entries.append(Entry(setting: setting, outcome: outcome))
  }

  /// The settings that the receiver acknowledged.
  public var applied: [ReceiverSetting] { entries.filter { $0.outcome == .applied }.map(\.setting) }
  /// The settings that the receiver refused or did not answer.
  public var notApplied: [Entry] { entries.filter { $0.outcome != .applied } }
}
