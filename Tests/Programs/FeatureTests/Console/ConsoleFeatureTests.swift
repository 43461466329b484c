import Configuration
import LineProtocol
import Testing

@testable import Features

@Suite struct ConsoleFeatureTests {
  @Test func `a port alone has defaults, and every key is read`() throws {
    func brief(_ text: String) throws -> String? {
      try read(text, as: ConsoleFeature.self).map {
        "\($0.port) \($0.baud) \($0.isModem) \($0.pinFile ?? "-") \($0.portLocation) \($0.pinLocation)"
      }
    }
    #expect(
      try brief(#"gateway = "boat" | [console] | port = "/dev/ttyS0""#)
        == "/dev/ttyS0 115200 false - onefix.toml:3 onefix.toml:2")
    let text = #"[console] | port = "/dev/ttyUSB0" | baud = 9600 | modem = true | pin_file = "/etc/onefix/console.pin""#
    #expect(try brief(text) == "/dev/ttyUSB0 9600 true /etc/onefix/console.pin onefix.toml:2 onefix.toml:5")
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

  static let invalid = """
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
}
