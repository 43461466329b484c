import Configuration
import LineProtocol
import Testing

@testable import Features

@Suite struct ConsoleFeatureTests {
  @Test func `a port alone has defaults`() throws {
    let found: ConsoleFeature = try #require(try read("gateway = \"boat\"\n[console]\nport = \"/dev/ttyS0\""))
    #expect(found.port == "/dev/ttyS0" && found.baud == 115_200 && !found.isModem && found.pinFile == nil)
    #expect("\(found.portLocation)" == "onefix.toml:3" && "\(found.pinLocation)" == "onefix.toml:2")
  }

  @Test func `every key is read`() throws {
    let text = """
      [console]
      port = "/dev/ttyUSB0"
      baud = 9600
      modem = true
      pin_file = "/etc/onefix/console.pin"
      """
    let found: ConsoleFeature = try #require(try read(text))
    #expect(found.port == "/dev/ttyUSB0" && found.baud == 9600 && found.isModem)
    #expect(found.pinFile == "/etc/onefix/console.pin")
    #expect("\(found.pinLocation)" == "onefix.toml:5")
  }

  @Test func `only a console with an app shows the fix of each press, as text unless the format is set`() throws {
    let app = "[[app]]\nid = \"ferry\"\n[console]\nport = \"/dev/ttyS0\"\n"
    let silent: ConsoleFeature = try #require(
      try read(app + "on_press = false\n[[serial]]\nport = \"/dev/s\"\napp = \"ferry\""))
    #expect(silent.pressOutput == nil)
    let ferry = try #require(AppID("ferry"))
    for (more, format) in [("", LineFormat.text), ("format = \"nmea\"\n", .nmea), ("format = \"json\"\n", .json)] {
      // The app needs no other identity.
      let found: ConsoleFeature = try #require(try read(app + "on_press = true\napp = \"ferry\"\n" + more))
      #expect(found.pressOutput == .init(app: ferry, format: format))
    }
  }

  private static let invalid = """
    [console] → 1: [console] needs 'port'
    [console] | port = "ttyS0" → 2: 'port' in [console] is 'ttyS0', but must be a path that begins with /
    [console] | port = 3 → 2: 'port' in [console] must be a string, not an integer
    [console] | port = "/dev/ttyS0" | baud = 9601 → 3: 'baud' in [console] is 9601, but must be one of 4800, 9600, \
      19200, 38400, 57600, 115200, 230400, 460800, 921600
    [console] | port = "/dev/ttyS0" | pin_file = "console.pin" \
      → 3: 'pin_file' in [console] is 'console.pin', but must be a path that begins with /
    [[app]] | id = "ferry" | [console] | port = "/dev/ttyS0" | app = "ferry" \
      → 5: 'app' in [console] needs 'on_press = true'
    [console] | port = "/dev/ttyS0" | format = "json" → 3: 'format' in [console] needs 'on_press = true'
    [console] | port = "/dev/ttyS0" | on_press = true → 1: [console] needs 'app'
    [console] | port = "/dev/ttyS0" | on_press = true | app = "ferry" → 4: no [[app]] has the id 'ferry'
    [console] | port = "/dev/ttyS0" | pin = "1234" \
      → 3: unknown key 'pin' in [console] (known: port, baud, modem, pin_file, on_press, format, app)
    """

  @Test(arguments: cases(invalid))
  func `an invalid value is reported with its line`(text: String, errors: [String]) {
    #expect(faults(text) == errors)
  }
}
