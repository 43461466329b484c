public import GNSS

/// What a receiver shall do. What is nil or not named stays as the receiver has it.
public struct ReceiverSettings: Hashable, Sendable {
  /// The port of the receiver that this machine is connected to.
  public var port: ReceiverPort
  /// Milliseconds from one navigation epoch to the next, 25...65,535.
  public var period: UInt16?
  /// How often a message is sent on the port: in every so many epochs, 0 for never.
  public var messages: [OutputMessage: UInt8]
  /// The systems to use, of those that the receiver has; others are switched off.
  public var constellations: Set<Constellation>?
  /// How the receiver is to expect that it moves.
  public var dynamicModel: DynamicModel?

  /// Nothing, but for what is given.
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

  /// A complete solution with its errors and satellites in a few hundred bytes, and no sentences that repeat it. RMC
  /// and GST stay, for whatever reads sentences only.
  public static let completeMessages: [OutputMessage: UInt8] = [
    .navPVT: 1, .navDOP: 1, .navSAT: 1, .navEOE: 1, .rmc: 1, .gst: 1, .gga: 0, .gll: 0, .gsa: 0, .gsv: 0, .vtg: 0,
  ]

  /// Sentences alone, as any program reads them, with the errors that GST tells; GLL repeats what RMC says.
  public static let sentenceMessages: [OutputMessage: UInt8] = [
    .gga: 1, .gsa: 1, .gsv: 1, .rmc: 1, .vtg: 1, .gst: 1, .zda: 1, .gll: 0, .navPVT: 0, .navDOP: 0, .navSAT: 0,
    .navEOE: 0,
  ]

  /// What these receivers send when they leave the factory, once a second. (M8 R27 §31, M10 SPG 5.10 §A)
  public static let factoryMessages: [OutputMessage: UInt8] = [.gga: 1, .gll: 1, .gsa: 1, .gsv: 1, .rmc: 1, .vtg: 1]

  /// `completeMessages` on a port, and the period; everything else stays.
  public static func complete(port: ReceiverPort, period: UInt16?) -> ReceiverSettings {
    ReceiverSettings(port: port, period: period, messages: completeMessages)
  }

  /// Bytes a second that these messages take, with 32 satellites in view; nil where the period is not known.
  ///
  /// A line carries a tenth of its baud rate, and an I2C bus at 100 kHz some 11,000: a receiver that has more to say
  /// drops what does not fit.
  public var bytesPerSecond: Double? {
    guard let period, period > 0 else { return nil }
    let perEpoch = messages.reduce(0.0) { $0 + ($1.value == 0 ? 0 : Double($1.key.typicalLength) / Double($1.value)) }
    return perEpoch * 1000 / Double(period)
  }

  /// The same, where what is not set is taken to be as the receiver left the factory; nil where neither the period nor
  /// a whole set of messages is, so that next to nothing is known.
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
  /// I2C, which u-blox calls DDC.
  case i2c = 0
  /// The first serial port.
  case uart1 = 1
  /// The second serial port, where there is one.
  case uart2 = 2
  /// USB.
  case usb = 3
  /// SPI.
  case spi = 4

  /// As in `uart1`.
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

/// A message that a receiver sends by itself.
public enum OutputMessage: String, Hashable, Sendable, CaseIterable {
  /// Position, velocity and time, with their errors: UBX-NAV-PVT.
  case navPVT = "nav-pvt"
  /// Dilution of precision: UBX-NAV-DOP.
  case navDOP = "nav-dop"
  /// Satellites: UBX-NAV-SAT.
  case navSAT = "nav-sat"
  /// The end of an epoch: UBX-NAV-EOE.
  case navEOE = "nav-eoe"
  /// The NMEA sentence of that name.
  case gga, gll, gsa, gsv, rmc, vtg, gst, zda, gns, gbs, dtm

  /// Whether it tells a position.
  public var hasPosition: Bool {
    switch self {
    case .navPVT, .gga, .gll, .rmc, .gns: true
    case .navDOP, .navSAT, .navEOE, .gsa, .gsv, .vtg, .gst, .zda, .gbs, .dtm: false
    }
  }

  /// Bytes in an epoch, with the line end or checksum, all sentences of a group.
  var typicalLength: Int {
    switch self {
    case .navPVT: 100
    case .navDOP: 26
    case .navSAT: 16 + 12 * 32
    case .navEOE: 12
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

/// How the antenna moves, which limits what the receiver believes. (CFG-NAVSPG-DYNMODEL, CFG-NAV5 dynModel)
public enum DynamicModel: UInt8, Hashable, Sendable, CaseIterable {
  /// As it comes: up to 310 m/s.
  case portable = 0
  /// It does not move.
  case stationary = 2
  /// On foot.
  case pedestrian = 3
  /// A car.
  case automotive = 4
  /// A ship, at sea level.
  case sea = 5
  /// An aircraft with up to 1 g.
  case airborne1g = 6
  /// An aircraft with up to 2 g.
  case airborne2g = 7
  /// An aircraft with up to 4 g.
  case airborne4g = 8
  /// On a wrist.
  case wrist = 9

  /// As in `airborne-1g`.
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

/// One thing that is set, and verified by itself.
public enum ReceiverSetting: Hashable, Sendable {
  /// That the port carries both UBX and NMEA.
  case protocols
  /// How often a message is sent.
  case message(OutputMessage)
  /// The time between two epochs.
  case period
  /// How it is expected to move.
  case dynamicModel
  /// All systems at once.
  case constellations
  /// One system, where the receiver did not take all at once.
  case constellation(Constellation)
}

extension ReceiverSettings {
  /// A setting by the name of its key and what it was to become, one word: as in `rate`, `gst` or `gll-off`.
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

/// What became of the settings.
public struct ConfigurationReport: Hashable, Sendable {
  /// What the receiver made of a setting.
  public enum Outcome: Hashable, Sendable {
    /// The receiver has acknowledged it.
    case applied
    /// The receiver knows no such setting, or refuses it.
    case refused
    /// The receiver did not answer.
    case unanswered
  }

  /// One setting, and what became of it.
  public struct Entry: Hashable, Sendable {
    /// What was to be set.
    public var setting: ReceiverSetting
    /// What became of it.
    public var outcome: Outcome

    /// A setting with its outcome.
    public init(setting: ReceiverSetting, outcome: Outcome) {
      self.setting = setting
      self.outcome = outcome
    }
  }

  /// What the receiver said of itself; nil where it did not answer: then nothing was asked of it.
  public internal(set) var version: MonVER?
  /// In the order in which they were decided.
  public internal(set) var entries: [Entry] = []

  /// What the receiver acknowledged.
  public var applied: [ReceiverSetting] { entries.filter { $0.outcome == .applied }.map(\.setting) }
  /// What it refused or never answered.
  public var notApplied: [Entry] { entries.filter { $0.outcome != .applied } }
}
