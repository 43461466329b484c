import Configuration
import LineProtocol
import Testing

@testable import Features

private let ferry = "[[app]]\nid = \"ferry\"\n"

@Suite struct SerialFeatureTests {
  @Test func `port and app alone have defaults`() throws {
    let found = try configuration(ferry + "[[serial]]\nport = \"/dev/ttyGS0\"\napp = \"ferry\"")
    let ports = try #require(found.feature(SerialFeature.self)).ports
    let port = ports[0]
    #expect(ports.count == 1)
    #expect(port.port == "/dev/ttyGS0" && port.app.name == "ferry" && port.baud == 115_200 && !port.isModem)
    #expect("\(port.portLocation)" == "onefix.toml:4" && "\(port.appLocation)" == "onefix.toml:5")
    // The port identifies the app, so the app needs no other identity.
    #expect(found.apps.first?.identity == nil)
  }

  @Test func `every key is read, and an app can have several ports and a uid`() throws {
    let text = """
      [[serial]]
      port = "/dev/ttyS1"
      baud = 9600
      app = "ferry"
      modem = true
      [[serial]]
      port = "/dev/ttyS2"
      app = "ferry"
      [[app]]
      id = "ferry"
      uid = 1000
      """
    let found = try configuration(text)
    let ports = try #require(found.feature(SerialFeature.self)).ports
    #expect(ports.map(\.port) == ["/dev/ttyS1", "/dev/ttyS2"])
    #expect(ports[0].baud == 9600 && ports[0].isModem)
    #expect(found.apps.first?.identity == .uid(1000))
  }

  private static let invalid = """
    [[serial]] | app = "ferry" → 3: [[serial]] needs 'port'
    uid = 1 | [[serial]] | port = "/dev/ttyS0" → 4: [[serial]] needs 'app'
    [[serial]] | port = "ttyS0" | app = "ferry" \
      → 4: 'port' in [[serial]] is 'ttyS0', but must be a path that begins with /
    [[serial]] | port = "/dev/ttyS0" | app = "ferry" | baud = 300 → 6: 'baud' in [[serial]] is 300, but must be one of \
      4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600
    [[serial]] | port = "/dev/ttyS0" | app = "Ferry" → 5: 'app' in [[serial]] is 'Ferry', but must be 1...64 \
      lower-case letters, digits, '.', '-' and '_', beginning with a letter or digit
    [[serial]] | port = "/dev/ttyS0" | app = "fery" → 5: no [[app]] has the id 'fery' (did you mean 'ferry'?)
    [[serial]] | port = "/dev/ttyS0" | app = "ferry" | [[serial]] | port = "/dev/ttyS0" | app = "ferry" \
      → 7: /dev/ttyS0 is configured twice (first in line 4)
    [[serial]] | port = "/dev/ttyS0" | app = "ferry" | format = "json" \
      → 6: 'format' in [[serial]] needs 'on_press = true'
    [[serial]] | port = "/dev/ttyS0" | app = "ferry" | uid = 3 \
      → 6: unknown key 'uid' in [[serial]] (known: port, baud, app, modem, on_press, format)
    """

  @Test(arguments: cases(invalid))
  func `an invalid key is reported with its line`(text: String, errors: [String]) {
    // Without a port, the app has no identity.
    #expect(faults(ferry + text).filter { !$0.contains("for authentication") } == errors)
  }

  @Test func `a port with on_press has a format`() throws {
    let table = ferry + "[[serial]]\nport = \"/dev/ttyS0\"\napp = \"ferry\"\n"
    for (more, format) in [
      ("", nil), ("on_press = false", nil), ("on_press = true", LineFormat.text),
      ("on_press = true\nformat = \"nmea\"", .nmea), ("on_press = true\nformat = \"json\"", .json),
    ] {
      #expect(try read(table + more, as: SerialFeature.self)?.ports.map(\.pressFormat) == [format])
    }
  }
}
