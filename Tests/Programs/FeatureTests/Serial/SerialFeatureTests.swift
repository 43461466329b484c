import Configuration
import LineProtocol
import Testing

@testable import Features

private let ferry = "[[app]]\nid = \"ferry\"\n"

@Suite struct SerialFeatureTests {
  @Test func `a port needs an app, which needs no other identity, and other keys have defaults`() throws {
    let text = #"""
      [[serial]] | port = "/dev/ttyS1" | baud = 9600 | app = "ferry" | modem = true \#
      | [[serial]] | port = "/dev/ttyGS0" | app = "ferry" | [[app]] | id = "ferry"
      """#
    let found = try configuration(text)
    let ports = try #require(found.feature(SerialFeature.self)).ports
    #expect(
      ports.map { "\($0.port) \($0.app.name) \($0.baud) \($0.isModem) \($0.portLocation) \($0.appLocation)" } == [
        "/dev/ttyS1 ferry 9600 true onefix.toml:2 onefix.toml:4",
        "/dev/ttyGS0 ferry 115200 false onefix.toml:7 onefix.toml:8",
      ])
    #expect(found.apps.first?.identity == nil)
    #expect(try configuration(text + " | uid = 1000").apps.first?.identity == .uid(1000))
  }

  static let invalid = """
    [[serial]] | app = "ferry" → 4: [[serial]] needs 'port'
    [[serial]] | port = "/dev/ttyS0" → 4: [[serial]] needs 'app'
    [[serial]] | port = "ttyS0" | app = "ferry" \
      → 5: 'port' in [[serial]] is 'ttyS0', but must be a path that begins with /
    [[serial]] | port = "/dev/ttyS0" | app = "ferry" | baud = 300 → 7: 'baud' in [[serial]] is 300, but must be one of \
      4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600
    [[serial]] | port = "/dev/ttyS0" | app = "Ferry" → 6: 'app' in [[serial]] is 'Ferry', but must be 1...64 \
      lower-case letters, digits, '.', '-' and '_', beginning with a letter or digit
    [[serial]] | port = "/dev/ttyS0" | app = "fery" → 6: no [[app]] has the id 'fery' (did you mean 'ferry'?)
    [[serial]] | port = "/dev/ttyS0" | app = "ferry" | [[serial]] | port = "/dev/ttyS0" | app = "ferry" \
      → 8: /dev/ttyS0 is configured twice (first in line 5)
    [[serial]] | port = "/dev/ttyS0" | app = "ferry" | format = "json" \
      → 7: 'format' in [[serial]] needs 'on_press = true'
    [[serial]] | port = "/dev/ttyS0" | app = "ferry" | uid = 3 \
      → 7: unknown key 'uid' in [[serial]] (known: port, baud, app, modem, on_press, format)
    """

  @Test func `a port with on_press has a format`() throws {
    let table = ferry + "[[serial]] | port = \"/dev/ttyS0\" | app = \"ferry\" | "
    for (more, format) in [
      ("", nil), ("on_press = false", nil), ("on_press = true", LineFormat.text),
      ("on_press = true | format = \"nmea\"", .nmea), ("on_press = true | format = \"json\"", .json),
    ] {
      #expect(try read(table + more, as: SerialFeature.self)?.ports.map(\.pressFormat) == [format])
    }
  }
}
