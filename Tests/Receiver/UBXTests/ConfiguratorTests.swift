import Base
import Decoding
import GNSS
import SimulatedUBlox
import Testing

private let m10 = ver("ROM SPG 5.10 (7b202e)", "000A0000", ["PROTVER=34.10", "MOD=MAX-M10S"])
private let m8 = ver("EXT CORE 3.01 (111141)", "00080000", ["PROTVER=18.00"])
private let nameless = ver("?", "?", [])

private let settings = ReceiverSettings(
  port: .uart1, period: 200, messages: [.navPVT: 1, .navSAT: 5, .gst: 1, .gll: 0],
  constellations: [.gps, .galileo], dynamicModel: .automotive)

/// Keys from the interface description of M10, for UART1.
private let m10Keys: Set<UInt32> = [
  0x1074_0001, 0x1074_0002, 0x2091_0007, 0x2091_0016, 0x2091_00D4, 0x2091_00CA, 0x3021_0001, 0x3021_0002, 0x2011_0021,
  0x1031_001F, 0x1031_0020, 0x1031_0021, 0x1031_0022, 0x1031_0024, 0x1031_0025,
]

@Test func `a newer receiver is configured with keys`() {
  var receiver = ConfiguredReceiver(version: m10, keys: m10Keys)
  receiver.knowsLegacy = false
  let (report, duration) = configure(settings, &receiver)
  #expect(report.version?.model == "MAX-M10S")
  #expect(report.notApplied.isEmpty)
  #expect(
    report.applied == [
      .protocols, .message(.navPVT), .message(.navSAT), .message(.gst), .message(.gll), .period, .dynamicModel,
      .constellations,
    ])
  #expect(
    receiver.values == [
      0x1074_0001: 1, 0x1074_0002: 1, 0x2091_0007: 1, 0x2091_0016: 5, 0x2091_00D4: 1, 0x2091_00CA: 0, 0x3021_0001: 200,
      0x3021_0002: 1, 0x2011_0021: 4, 0x1031_001F: 1, 0x1031_0020: 0, 0x1031_0021: 1, 0x1031_0022: 0, 0x1031_0024: 0,
      0x1031_0025: 0,
    ])
  #expect(duration < .seconds(1))
}

/// The identifier of each message, and the key for its rate on I2C, from the interface descriptions of M8 and M10.
private let messages: [OutputMessage: (identifier: UBXIdentifier, key: UInt32)] = [
  .navPVT: (UBXIdentifier(0x01, 0x07), 0x2091_0006), .navDOP: (UBXIdentifier(0x01, 0x04), 0x2091_0038),
  .navSAT: (UBXIdentifier(0x01, 0x35), 0x2091_0015), .navEOE: (UBXIdentifier(0x01, 0x61), 0x2091_015F),
  .navSTATUS: (UBXIdentifier(0x01, 0x03), 0x2091_001A), .navTIMELS: (UBXIdentifier(0x01, 0x26), 0x2091_0060),
  .monHW: (UBXIdentifier(0x0A, 0x09), 0x2091_01B4), .monRF: (UBXIdentifier(0x0A, 0x38), 0x2091_0359),
  .secSIG: (UBXIdentifier(0x27, 0x09), 0x2091_0634), .dtm: (UBXIdentifier(0xF0, 0x0A), 0x2091_00A6),
  .gga: (UBXIdentifier(0xF0, 0x00), 0x2091_00BA), .gll: (UBXIdentifier(0xF0, 0x01), 0x2091_00C9),
  .gsa: (UBXIdentifier(0xF0, 0x02), 0x2091_00BF), .gsv: (UBXIdentifier(0xF0, 0x03), 0x2091_00C4),
  .rmc: (UBXIdentifier(0xF0, 0x04), 0x2091_00AB), .vtg: (UBXIdentifier(0xF0, 0x05), 0x2091_00B0),
  .gst: (UBXIdentifier(0xF0, 0x07), 0x2091_00D3), .zda: (UBXIdentifier(0xF0, 0x08), 0x2091_00D8),
  .gbs: (UBXIdentifier(0xF0, 0x09), 0x2091_00DD), .gns: (UBXIdentifier(0xF0, 0x0D), 0x2091_00B5),
]

@Test(
  arguments: zip(
    ReceiverPort.allCases, [0x1072_0001, 0x1074_0001, 0x1076_0001, 0x1078_0001, 0x107A_0001] as [UInt32]))
func `each message and each constellation has the identifier and the keys of the interface descriptions`(
  port: ReceiverPort, protocols: UInt32
) {
  let settings = ReceiverSettings(
    port: port, messages: Dictionary(uniqueKeysWithValues: OutputMessage.allCases.map { ($0, 1) }),
    constellations: Set(Constellation.allCases))
  let constellations: [UInt32] = [
    0x1031_001F, 0x1031_0020, 0x1031_0021, 0x1031_0022, 0x1031_0024, 0x1031_0025, 0x1031_0026,
  ]
  let keys = Set(messages.values.map { $0.key + port.rawValue } + [protocols, protocols + 1] + constellations)
  var newer = ConfiguredReceiver(version: m10, keys: keys)
  #expect(configure(settings, &newer).0.notApplied.isEmpty)
  #expect(Set(newer.values.keys) == keys)
  for message in OutputMessage.allCases {
    var older = ConfiguredReceiver(version: m8)
    _ = configure(ReceiverSettings(port: port, messages: [message: 1]), &older)
    #expect(older.rates == messages[message].map { [$0.identifier: 1] })
  }
}

@Test func `a receiver on I2C gets the keys of that port`() {
  var receiver = ConfiguredReceiver(version: m10, keys: [0x1072_0001, 0x1072_0002, 0x2091_0006, 0x2091_00D3])
  let report = configure(ReceiverSettings(port: .i2c, messages: [.navPVT: 1, .gst: 1]), &receiver).0
  #expect(report.applied == [.protocols, .message(.navPVT), .message(.gst)])
  #expect(receiver.values == [0x1072_0001: 1, 0x1072_0002: 1, 0x2091_0006: 1, 0x2091_00D3: 1])
}

@Test(arguments: [(m8, false), (nameless, true)])
func `an older receiver is configured with the older messages, and their other fields are kept`(
  version: Payload, isAsked: Bool
) {
  var receiver = ConfiguredReceiver(version: version)
  let before = receiver
  let (report, _) = configure(settings, &receiver)
  #expect(report.notApplied.isEmpty && report.applied.count == 8)
  #expect(receiver.received.contains { $0.0 == UBXIdentifier(0x06, 0x8A) } == isAsked)
  #expect((receiver.period, receiver.dynamicModel) == (200, 4))
  #expect(receiver.rates == [.navPVT: 1, .navSAT: 5, UBXIdentifier(0xF0, 0x07): 1, UBXIdentifier(0xF0, 0x01): 0])
  // The speed and the input of the port are unchanged.
  #expect(receiver.port[14] == 0x03)
  #expect(Array(receiver.port[..<14]) == Array(before.port[..<14]))
  // GPS is unchanged, SBAS and GLONASS are off, Galileo is on with a channel and a signal.
  #expect(
    receiver.systems == [
      0, 32, 32, 4, 0, 8, 16, 0, 1, 0, 1, 1, 1, 1, 3, 0, 0, 0, 1, 1, 2, 0, 1, 0, 1, 0, 1, 0, 6, 8, 14, 0, 0, 0, 1, 1,
    ])
}

/// u-blox 5, 6 and 7.
@Test(arguments: [
  ver("5.00", "00040005", []), ver("7.03 (45969)", "00040007", []), ver("1.00 (59842)", "00070000", ["PROTVER 14.00"]),
])
func `a receiver without keys on I2C gets the older messages, for the port through which they arrive`(
  version: Payload
) {
  var receiver = ConfiguredReceiver(version: version)
  // The I2C port with the address 0x42 and output of NMEA only.
  receiver.port = [0, 0, 0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0x07, 0, 0x02, 0, 0, 0, 0, 0]
  let settings = ReceiverSettings(port: .i2c, period: 200, messages: [.rmc: 1, .gll: 0], dynamicModel: .sea)
  let report = configure(settings, &receiver).0
  #expect(report.applied == [.protocols, .message(.rmc), .message(.gll), .period, .dynamicModel])
  #expect(receiver.port == [0, 0, 0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0x07, 0, 0x03, 0, 0, 0, 0, 0])
  #expect(receiver.rates == [UBXIdentifier(0xF0, 0x04): 1, UBXIdentifier(0xF0, 0x01): 0])
  #expect((receiver.period, receiver.dynamicModel) == (200, 5))
  // A longer message has a rate for each port.
  let lengths = receiver.received.filter { $0.0 == UBXIdentifier(0x06, 0x01) }.map(\.1.count)
  #expect(lengths == [3, 3])
}

@Test func `a setting that already has its value is not written`() {
  var receiver = ConfiguredReceiver(version: m8)
  receiver.port[14] = 0x07
  let same = ReceiverSettings(port: .uart1, messages: [.navPVT: 1], constellations: [.gps, .sbas, .glonass])
  let (report, _) = configure(same, &receiver)
  #expect(report.applied == [.protocols, .message(.navPVT), .constellations])
  #expect(receiver.received.allSatisfy { ![0x00, 0x3E].contains($0.0.id) || $0.1.isEmpty })
}

@Test func `the report contains the refused settings`() {
  var receiver = ConfiguredReceiver(version: m8)
  receiver.unknownMessages = [.navSAT]
  #expect(configure(settings, &receiver).0.notApplied == [.init(setting: .message(.navSAT), outcome: .refused)])

  receiver = ConfiguredReceiver(version: m10, keys: m10Keys.subtracting([0x3021_0001, 0x1031_0025]))
  receiver.knowsLegacy = false
  let report = configure(settings, &receiver).0
  #expect(
    report.notApplied == [
      .init(setting: .period, outcome: .refused), .init(setting: .constellation(.glonass), outcome: .refused),
    ])
  #expect(report.applied.contains(.constellation(.galileo)) && receiver.values[0x1031_0021] == 1)
}

@Test func `the complete messages contain the verdicts on attacks that the receiver has`() {
  var receiver = ConfiguredReceiver(version: m8)
  receiver.unknownMessages = [.monRF, .secSIG, .navTIMELS]
  let report = configure(.complete(port: .uart1, period: 1000), &receiver).0
  #expect(report.notApplied.isEmpty)
  #expect(report.applied.contains(.message(.navSTATUS)) && report.applied.contains(.message(.monHW)))
  #expect((receiver.rates[.navSTATUS], receiver.rates[.monHW], receiver.rates[.monRF]) == (1, 5, nil))
}

@Test(arguments: [true, false])
func `a receiver without NAV-PVT sends the sentences with the same data`(hasSolution: Bool) {
  var receiver = ConfiguredReceiver(version: ver("7.03 (45969)", "00040007", []))
  if !hasSolution { receiver.unknownMessages = [.navPVT, .navSAT, .navEOE] }
  let report = configure(.complete(port: .uart1, period: 1000), &receiver).0
  for id: UInt8 in [0x00, 0x02, 0x03, 0x05] {
    #expect(receiver.rates[UBXIdentifier(0xF0, id)] == (hasSolution ? 0 : 1))
  }
  // GLL has no data that RMC lacks.
  #expect(receiver.rates[UBXIdentifier(0xF0, 0x01)] == 0)
  #expect(report.notApplied.map(\.setting) == (hasSolution ? [] : [.navPVT, .navSAT, .navEOE].map { .message($0) }))
}

@Test func `the sentences of a receiver without NAV-PVT do not affect the next receiver`() {
  var configurator = Configurator(.complete(port: .uart1, period: 1000))
  var older = ConfiguredReceiver(version: ver("7.03 (45969)", "00040007", []))
  older.unknownMessages = [.navPVT]
  var bytes = configurator.start(at: at(0))
  while configurator.settings.messages[.gga] == 0, !bytes.isEmpty {
    let answers = older.read(bytes)
    bytes = answers.reduce([]) { $0 + configurator.receive($1.0, $1.1, at: at(1)) }
  }
  #expect(configurator.settings.messages[.gga] == 1)
  _ = configurator.start(at: at(2))
  #expect(configurator.settings.messages[.gga] == 0)
}

@Test(arguments: [m10, m8])
func `any lost frame is sent again`(version: Payload) {
  var whole = ConfiguredReceiver(version: version, keys: version.bytes == m10.bytes ? m10Keys : nil)
  _ = configure(settings, &whole)
  for number in 0..<whole.received.count {
    var receiver = ConfiguredReceiver(version: version, keys: whole.keys)
    receiver.lost = [number]
    let (report, _) = configure(settings, &receiver)
    #expect(report.notApplied.isEmpty, "frame \(number)")
    #expect(receiver.received.count == whole.received.count + 1)
    #expect((receiver.values, receiver.rates) == (whole.values, whole.rates))
    #expect((receiver.port, receiver.systems) == (whole.port, whole.systems))
  }
}

@Test func `an unanswered setting does not stop the others`() {
  var receiver = ConfiguredReceiver(version: m10, keys: m10Keys)
  // MON-VER, protocols, NAV-PVT three times.
  receiver.lost = [2, 3, 4]
  let (report, _) = configure(settings, &receiver)
  #expect(report.notApplied == [.init(setting: .message(.navPVT), outcome: .unanswered)])
  #expect(report.applied.count == 7)
}

@Test func `a late reply to one setting does not count for the next`() {
  // Every reply arrives after the next attempt. GST and all later settings are refused.
  var receiver = ConfiguredReceiver(version: m10, keys: m10Keys.subtracting([0x2091_00D4]))
  receiver.knowsLegacy = false
  receiver.delay = .milliseconds(1200)
  let (report, _) = configure(settings, &receiver)
  #expect(report.notApplied == [.init(setting: .message(.gst), outcome: .refused)])
}

@Test func `unsolicited replies change nothing`() {
  var configurator = Configurator(settings)
  #expect(configurator.receive(.ack, [6, 0x8A], at: at(0)).isEmpty)
  let question = configurator.start(at: at(0))
  #expect(question == UBXFrame.encode(.monVER))
  for (identifier, payload) in [
    (UBXIdentifier.ack, [6, 0x8A]), (.nak, [0x0A, 4]), (.monVER, [1, 2, 3]), (.navPVT, pvt.bytes), (.ack, []),
  ] as [(UBXIdentifier, [UInt8])] {
    #expect(configurator.receive(identifier, payload, at: at(1)).isEmpty)
  }
  #expect(configurator.timePassed(at: at(999)).isEmpty)
  #expect(configurator.timePassed(at: at(1000)) == question)
  #expect(configurator.receive(.monVER, m10.bytes, at: at(1100)).isEmpty)
  #expect(configurator.timePassed(at: at(2100)).isEmpty)
  #expect(!configurator.timePassed(at: at(3100)).isEmpty)
  #expect(configurator.receive(.ack, [6, 0x01], at: at(3101)).isEmpty)
  #expect(configurator.report.entries.isEmpty)
}

@Test func `the configuration ends after any input`() {
  var random = SeededBytes(state: 99)
  let identifiers = [UBXIdentifier.ack, .nak, .monVER, UBXIdentifier(6, 0), UBXIdentifier(6, 0x3E)]
  for _ in 0..<300 {
    var configurator = Configurator(settings)
    var now = at(0)
    _ = configurator.start(at: now)
    for _ in 0..<2000 where !configurator.isFinished {
      now = now + .milliseconds(Int(random.next() % 700))
      let identifier = identifiers[Int(random.next() % 5)]
      let answers: [[UInt8]] = [
        [6, 0x8A], [6, 1], [6, 0], [6, 0x3E], [6, 8], m8.bytes, m10.bytes, random.bytes(20),
      ]
      _ = configurator.receive(identifier, answers[Int(random.next() % 8)], at: now)
      _ = configurator.timePassed(at: now)
    }
    #expect(configurator.isFinished && configurator.nextDeadline == nil)
    #expect(configurator.report.entries.count >= 8)
  }
}

@Test func `the load of a line is predicted, and missing settings have their factory defaults`() throws {
  #expect(ReceiverSettings(port: .uart1).bytesPerSecond == nil)
  let modest = try #require(ReceiverSettings.complete(port: .uart1, period: 1000).bytesPerSecond)
  #expect(modest < 960)
  var all = ReceiverSettings(port: .i2c, period: 100)
  for message in OutputMessage.allCases { all.messages[message] = 1 }
  #expect(try #require(all.bytesPerSecond) > 11_520)
  #expect(ReceiverSettings(port: .uart1, messages: [.gst: 1]).expectedBytesPerSecond == nil)
  #expect(ReceiverSettings(port: .uart1, dynamicModel: .sea).expectedBytesPerSecond == nil)
  // A complete set of messages once a second, which fits into 9600 baud.
  let complete = ReceiverSettings.complete(port: .uart1, period: nil)
  #expect(try #require(complete.expectedBytesPerSecond) < 960)
  // The factory messages ten times a second, which exceed 9600 baud.
  let fast = try #require(ReceiverSettings(port: .uart1, period: 100).expectedBytesPerSecond)
  #expect(fast > 9600 && fast < 11_520)
}

@Test(arguments: [
  (ReceiverSetting.protocols, "protocols"), (.message(.navPVT), "nav-pvt"), (.message(.gll), "gll-off"),
  (.period, "rate"), (.dynamicModel, "dynamic-model"), (.constellations, "constellations"),
  (.constellation(.galileo), "galileo"), (.constellation(.glonass), "glonass-off"),
])
func `the name of a setting is one word`(setting: ReceiverSetting, name: String) {
  #expect(settings.name(of: setting) == name)
}
