import Decoding
import GNSS
import Testing

@testable import Configuration

private func options(_ lines: String) throws -> ReceiverOptions {
  try #require(try configuration("[receiver]\n" + lines).receiver)
}

@Test func `by default, a receiver is not configured`() throws {
  #expect(try configuration("").receiver == nil && board(minimal).receiverOptions.settings(port: .uart1) == nil)
  for lines in [
    "", "source = 'simulated'", "port = 'usb'", "checksum = false", "configure = false", "configure = false\nrate = 5",
  ] {
    #expect(try options(lines).settings(port: .uart1) == nil)
  }
}

@Test func `every key of a receiver is read`() throws {
  let all = try options(
    """
    source = "uart:/dev/ttyAMA0" | port = "uart2" | rate = 8 | messages = ["nav-pvt", "gst"]
    constellations = ["gps", "galileo", "sbas"] | dynamic_model = "airborne-1g" | checksum = false | unmeasured = true
    """)
  #expect(all.source == .uart(path: "/dev/ttyAMA0"))
  let settings = try #require(all.settings(port: .uart1))
  #expect(settings.port == .uart2 && settings.period == 125)
  #expect(settings.messages[.navPVT] == 1 && settings.messages[.gst] == 1)
  // Messages outside the list are switched off.
  #expect(settings.messages.count == OutputMessage.allCases.count)
  #expect(settings.messages.filter { $0.value > 0 }.count == 2)
  #expect(settings.constellations == [.gps, .galileo, .sbas] && settings.dynamicModel == .airborne1g)
  #expect(all.requiresChecksum == false && all.servesUnmeasured == true)
}

@Test(arguments: [
  ("configure = true", ReceiverSettings.completeMessages), ("messages = 'complete'", ReceiverSettings.completeMessages),
  ("messages = 'nmea'", ReceiverSettings.sentenceMessages), ("messages = 'gst'", [.gst: 1]), ("rate = 5", [:]),
  ("configure = true\ndynamic_model = 'sea'", [:]),
])
func `a set of messages has a name, and true alone selects the complete set`(
  lines: String, messages: [OutputMessage: UInt8]
) throws {
  #expect(try #require(options(lines).settings(port: .i2c)).messages == messages)
}

@Test(arguments: [(0.2, 5000), (1, 1000), (3, 333), (10, 100), (25, 40)])
func `a rate becomes a period in whole milliseconds`(rate: Double, period: UInt16) throws {
  #expect(try #require(options("rate = \(rate)").settings(port: .i2c)).period == period)
}

@Test func `the owner's keys override the board's keys one by one`() throws {
  let owned = try configuration("[receiver]\nrate = 2\nconstellations = ['beidou']").applied(
    to: board(
      """
      name = "test" | [receiver] | source = "i2c:/dev/i2c-1" | rate = 10 | dynamic_model = "sea" | checksum = false
      unmeasured = true | [[button]] | name = "main"
      """))
  #expect(owned.receiver == .i2c(path: "/dev/i2c-1"))
  let settings = try #require(owned.receiverOptions.settings(port: .i2c))
  #expect((settings.period, settings.dynamicModel, settings.constellations) == (500, .sea, [.beidou]))
  #expect(owned.receiverOptions.requiresChecksum == false && owned.receiverOptions.servesUnmeasured == true)
  #expect(try configuration("receiver.checksum = true").applied(to: owned).receiverOptions.requiresChecksum == true)
  let silenced = try configuration("receiver.configure = false").applied(to: owned)
  #expect(silenced.receiverOptions.settings(port: .i2c) == nil)
  #expect(try configuration("receiver = 'gpsd'").applied(to: owned).receiver == .gpsd())
}

private let invalid = """
  dynamic_model = 'automotiv' → 2: 'dynamic_model' in [receiver] is 'automotiv', but must be 'portable', 'stationary', \
    'pedestrian', 'automotive', 'sea', 'airborne-1g', 'airborne-2g', 'airborne-4g' or 'wrist' (did you mean \
    'automotive'?)
  constellations = ['gps', 'galilio'] → 2: 'constellations' in [receiver] has 'galilio', but must be 'gps', 'glonass', \
    'galileo', 'beidou', 'qzss', 'navic' or 'sbas' (did you mean 'galileo'?)
  constellations = ['sbas'] \
    → 2: 'constellations' in [receiver] needs a global system: 'gps', 'glonass', 'galileo' or 'beidou'
  constellations = 'gps' → 2: 'constellations' in [receiver] must be an array of strings, not a string
  messages = 'compleet' \
    → 2: 'messages' in [receiver] is 'compleet', but must be 'complete', 'nmea' or 'gst' (did you mean 'complete'?)
  messages = ['gst', 'nav-dop'] \
    → 2: 'messages' in [receiver] has no message with a position, such as 'nav-pvt', 'gga', 'gll', 'rmc' or 'gns'
  messages = 3 → 2: 'messages' in [receiver] must be a string or an array of strings, not an integer
  rate = 30 → 2: 'rate' in [receiver] is 30.0, but must be 0.2...25.0
  rate = nan → 2: 'rate' in [receiver] is nan, but must be 0.2...25.0
  configure = 1 → 2: 'configure' in [receiver] must be true or false, not an integer
  port = 'uart' \
    → 2: 'port' in [receiver] is 'uart', but must be 'i2c', 'uart1', 'uart2', 'usb' or 'spi' (did you mean 'uart1'?)
  source = 'uart' → 2: cannot use the receiver 'uart': the port is missing (form: uart:PATH[:BAUD])
  dynamic_modle = 'sea' → 2: unknown key 'dynamic_modle' in [receiver] (did you mean 'dynamic_model'?)
  """

@Test(arguments: cases(invalid))
func `an invalid receiver key is reported with its line and a suggestion`(lines: String, errors: [String]) {
  #expect(faults("[receiver]\n" + lines) == errors)
}
