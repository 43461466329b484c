public import GNSS

/// The settings to send to a receiver. If a setting is nil or missing, the receiver keeps its own value.
public struct ReceiverSettings: Hashable, Sendable {
  /// The receiver's port for the connection to the gateway.
  public var port: ReceiverPort
  /// The time between two positions in milliseconds, 25...65,535; nil to keep the receiver's own value.
  public var period: UInt16?
  /// The rate of each message on the port. The rate n means once in n positions, and the rate 0 means never. A missing
  /// message keeps the receiver's own rate.
  public var messages: [OutputMessage: UInt8]
  /// The constellations that the receiver must use; the receiver switches off all others. The value is nil to keep the
  /// receiver's own choice.
  public var constellations: Set<Constellation>?
  /// The expected motion of the antenna; nil to keep the receiver's own value.
  public var dynamicModel: DynamicModel?

  /// Creates settings. The receiver keeps its own value for each missing or nil setting.
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

  /// The message rates for complete data: the position, its errors, and the satellites. NMEA sentences with the same
  /// data are off. RMC and GST stay on for programs that read only NMEA sentences.
  public static let completeMessages: [OutputMessage: UInt8] = [
    .navPVT: 1, .navDOP: 1, .navSAT: 1, .navEOE: 1, .navSTATUS: 1, .monHW: 5, .monRF: 5, .secSIG: 5, .navTIMELS: 5,
    .rmc: 1, .gst: 1, .gga: 0, .gll: 0, .gsa: 0, .gsv: 0, .vtg: 0,
  ]

  /// The message rates for programs that read only NMEA sentences. GST contains the error estimates. GLL is off,
  /// because RMC contains the same data.
  public static let sentenceMessages: [OutputMessage: UInt8] = [
    .gga: 1, .gsa: 1, .gsv: 1, .rmc: 1, .vtg: 1, .gst: 1, .zda: 1, .gll: 0, .navPVT: 0, .navDOP: 0, .navSAT: 0,
    .navEOE: 0, .navSTATUS: 0, .monHW: 0, .monRF: 0, .secSIG: 0, .navTIMELS: 0,
  ]

  /// The message rates of a u-blox receiver with its default settings, at one position per second. (M8 R27 §31, M10
  /// SPG 5.10 §A)
  public static let factoryMessages: [OutputMessage: UInt8] = [.gga: 1, .gll: 1, .gsa: 1, .gsv: 1, .rmc: 1, .vtg: 1]

  /// Returns settings with the message rates `completeMessages`. `period` is the time between two positions in
  /// milliseconds; nil keeps the receiver's own value.
  public static func complete(port: ReceiverPort, period: UInt16?) -> ReceiverSettings {
    ReceiverSettings(port: port, period: period, messages: completeMessages)
  }

  /// The same settings for a receiver without the message NAV-PVT: the NMEA sentences with the same data are on. Only
  /// u-blox receivers since u-blox 7 have NAV-PVT.
  public var replacingSolution: ReceiverSettings {
    var settings = self
    for message in [OutputMessage.gga, .gsa, .gsv, .vtg] where messages[message] == 0 { settings.messages[message] = 1 }
    return settings
  }

  /// The estimated data rate of the messages in bytes per second, with 32 satellites in view; nil if `period` is nil or
  /// 0.
  ///
  /// The capacity of a serial port in bytes per second is a tenth of its speed in bits per second. An I2C bus at 100
  /// kHz carries about 11,000 bytes per second. A receiver drops the messages that exceed the capacity.
  public var bytesPerSecond: Double? {
    guard let period, period > 0 else { return nil }
    let perEpoch = messages.reduce(0.0) { $0 + ($1.value == 0 ? 0 : Double($1.key.typicalLength) / Double($1.value)) }
    return perEpoch * 1000 / Double(period)
  }

  /// The estimated data rate in bytes per second, with the default value for each missing setting. The value is nil if
  /// the period and the rate of a default message are both missing.
  public var expectedBytesPerSecond: Double? {
    let isWhole = ReceiverSettings.factoryMessages.keys.allSatisfy { messages[$0] != nil }
    guard period != nil || isWhole else { return nil }
    var expected = self
    expected.period = period ?? 1000
    expected.messages.merge(ReceiverSettings.factoryMessages) { set, _ in set }
    return expected.bytesPerSecond
  }
}

/// A port of a u-blox receiver. The raw value is the number of the port in a configuration key. (M10 SPG 5.10 §6.9.15,
/// CFG-MSGOUT)
public enum ReceiverPort: UInt32, Hashable, Sendable, CaseIterable {
  /// The I2C port. In the manuals of u-blox, the name is DDC.
  case i2c = 0
  /// The first serial port (UART).
  case uart1 = 1
  /// The second serial port (UART). Not every receiver has this port.
  case uart2 = 2
  /// The USB port of a u-blox receiver.
  case usb = 3
  /// The port for the Serial Peripheral Interface (SPI).
  case spi = 4

  /// The name of the port in configuration files, for example `uart1`.
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

/// A message type that a receiver can send periodically.
public enum OutputMessage: String, Hashable, Sendable, CaseIterable {
  /// Position, velocity and time, with their errors (UBX-NAV-PVT).
  case navPVT = "nav-pvt"
  /// The dilutions of precision (UBX-NAV-DOP).
  case navDOP = "nav-dop"
  /// The satellites in view (UBX-NAV-SAT).
  case navSAT = "nav-sat"
  /// The end of epoch, after the last message of one instant (UBX-NAV-EOE).
  case navEOE = "nav-eoe"
  /// The fix status, and the detection of false signals (UBX-NAV-STATUS).
  case navSTATUS = "nav-status"
  /// The state of the hardware, with the detection of jamming, for receivers before M10 (UBX-MON-HW).
  case monHW = "mon-hw"
  /// The state of the radio, with the detection of jamming, for M9 and newer receivers (UBX-MON-RF).
  case monRF = "mon-rf"
  /// The detection of spoofing and jamming, for M10 and newer receivers (UBX-SEC-SIG).
  case secSIG = "sec-sig"
  /// The next leap second (UBX-NAV-TIMELS).
  case navTIMELS = "nav-timels"
  /// The types of NMEA sentences, for example GGA (position) and GSV (satellites in view).
  case gga, gll, gsa, gsv, rmc, vtg, gst, zda, gns, gbs, dtm

  /// Whether the message is an NMEA sentence, and not a message of the binary protocol UBX.
  public var isSentence: Bool {
    switch self {
    case .navPVT, .navDOP, .navSAT, .navEOE, .navSTATUS, .monHW, .monRF, .secSIG, .navTIMELS: false
    case .gga, .gll, .gsa, .gsv, .rmc, .vtg, .gst, .zda, .gns, .gbs, .dtm: true
    }
  }

  /// Whether the message contains a position of the receiver.
  public var hasPosition: Bool {
    switch self {
    case .navPVT, .gga, .gll, .rmc, .gns: true
    case .navDOP, .navSAT, .navEOE, .navTIMELS, .navSTATUS, .monHW, .monRF, .secSIG, .gsa, .gsv, .vtg, .gst, .zda, .gbs,
      .dtm:
      false
    }
  }

  /// Whether a refusal of the message is not an error, because only some receivers have the message.
  var isOptional: Bool { [.monHW, .monRF, .secSIG, .navTIMELS].contains(self) }

  /// The typical length in bytes of the messages for one position, with checksums and line ends.
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

/// The expected motion of the antenna. The receiver excludes positions that contradict this motion.
/// (CFG-NAVSPG-DYNMODEL, CFG-NAV5 dynModel)
public enum DynamicModel: UInt8, Hashable, Sendable, CaseIterable {
  /// Any motion with a speed of up to 310 m/s.
  case portable = 0
  /// An antenna that does not move.
  case stationary = 2
  /// A person on foot.
  case pedestrian = 3
  /// A vehicle with the dynamics of a car.
  case automotive = 4
  /// A ship at sea level.
  case sea = 5
  /// An aircraft with an acceleration of up to 1 g.
  case airborne1g = 6
  /// An aircraft with an acceleration of up to 2 g.
  case airborne2g = 7
  /// An aircraft with an acceleration of up to 4 g.
  case airborne4g = 8
  /// A device on a person's wrist.
  case wrist = 9

  /// The name of the model in configuration files, for example `airborne-1g`.
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

/// One setting of the receiver. The gateway sends each setting separately, so that the receiver acknowledges each one.
public enum ReceiverSetting: Hashable, Sendable {
  /// The output of the protocols UBX and NMEA on the port.
  case protocols
  /// The rate of one message on the port.
  case message(OutputMessage)
  /// The time between two positions.
  case period
  /// The expected motion of the antenna (the dynamic model).
  case dynamicModel
  /// The use of all constellations, in one message.
  case constellations
  /// The use of one constellation, for example Galileo. The gateway sends this setting only after the receiver has
  /// refused `constellations`.
  case constellation(Constellation)
}

extension ReceiverSettings {
  /// Returns the name of a setting in reports, for example `rate` or `gll-off`. The ending `-off` means that the
  /// setting switches a message or a constellation off.
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

/// The results of the settings that the gateway has sent to the receiver.
public struct ConfigurationReport: Hashable, Sendable {
  /// The receiver's reaction to a setting.
  public enum Outcome: Hashable, Sendable {
    /// The receiver has acknowledged the setting, or its later output shows the wanted value.
    case applied
    /// The receiver does not have the setting, or has rejected the value.
    case refused
    /// The receiver did not answer after the last attempt.
    case unanswered
  }

  /// One setting of the report, with the receiver's reaction.
  public struct Entry: Hashable, Sendable {
    /// The setting that the gateway sent.
    public var setting: ReceiverSetting
    /// The receiver's reaction: applied, refused or unanswered.
    public var outcome: Outcome

    /// Creates an entry of the report.
    public init(setting: ReceiverSetting, outcome: Outcome) {
      self.setting = setting
      self.outcome = outcome
    }
  }

  /// The version of a u-blox receiver; nil if the receiver did not answer, or is not from u-blox.
  public internal(set) var version: MonVER?
  /// The model of the receiver, or the firmware version without a known model. The value is nil if the receiver did not
  /// answer, so that no setting was sent.
  public internal(set) var receiver: String?
  /// The model of the receiver; nil if the receiver does not report its model.
  public internal(set) var model: String?
  /// The settings with their results, in the order of sending.
  public internal(set) var entries: [Entry] = []

  /// Creates an empty report about a receiver that has answered with its model.
  package init(model: String) {
    (receiver, self.model) = (model, model)
  }

  init() {}

  /// Adds a setting with its result to the report.
  package mutating func record(_ outcome: Outcome, of setting: ReceiverSetting) {
    entries.append(Entry(setting: setting, outcome: outcome))
  }

  /// The settings with the result `applied`.
  public var applied: [ReceiverSetting] { entries.filter { $0.outcome == .applied }.map(\.setting) }
  /// The settings with the result `refused` or `unanswered`.
  public var notApplied: [Entry] { entries.filter { $0.outcome != .applied } }
}
