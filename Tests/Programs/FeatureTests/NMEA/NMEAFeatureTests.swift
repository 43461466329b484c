import Configuration
import LineProtocol
import Testing

@testable import Features

@Suite struct NMEAFeatureTests {
  @Test func `a listener has an endpoint, an app and the usual sentences`() throws {
    let text =
      socketApps + "[[nmea]]\napp = \"plotter\"\naddress = \"127.0.0.1:10121\"\n"
      + "[[nmea]]\nsocket = \"/run/onefix/nmea.sock\"\napp = \"kiosk\"\nsentences = [\"ZDA\", \"RMC\"]\n"
    let found = try #require(try read(text, as: NMEAFeature.self)).readers
    #expect(found.map(\.app.name) == ["plotter", "kiosk"])
    #expect(found.map(\.endpoint) == [.address(host: "127.0.0.1", port: 10121), .socket("/run/onefix/nmea.sock")])
    #expect(found.map(\.sentences) == [[.rmc, .gga, .gsa, .gst], [.zda, .rmc]])
    #expect(found.map { "\($0.location)" } == ["onefix.toml:12", "onefix.toml:14"])
  }

  static let invalid = """
    app = "plotter" → 10: [[nmea]] needs 'socket' or 'address'
    socket = "/s" → 10: [[nmea]] needs 'app'
    app = "plotter" | socket = "/s" | address = "127.0.0.1:1" \
      → 10: [[nmea]] has 'address' and 'socket', but must have only one
    app = "plotter" | address = "192.0.2.1:10121" \
      → 12: 'address' in [[nmea]] is '192.0.2.1:10121', but must be a loopback address, where the kernel identifies the \
      client's user, as in '127.0.0.1:10121' or '[::1]:10121'
    app = "plotter" | socket = "/s" | sentence = ["RMC"] \
      → 13: unknown key 'sentence' in [[nmea]] (did you mean 'sentences'?)
    app = "plotter" | socket = "/var/run/nmea.sock" \
      → 12: 'socket' in [[nmea]] is '/var/run/nmea.sock', but /var/run is a link to /run (use '/run/nmea.sock')
    socket = "/s" | app = "ploter" → 12: no [[app]] has the id 'ploter' (did you mean 'plotter'?)
    address = "127.0.0.1:1" | app = "kiosk" \
      → 12: app 'kiosk' has no 'uid' (a client at an address is identified by its user)
    socket = "/s" | app = "remote" \
      → 12: app 'remote' has no 'uid' or 'unit' (a client of a socket is identified by its user or its unit)
    socket = "/s" | app = "plotter" | sentences = ["GSA", "GSX", "GSA"] → 13: 'sentences' in [[nmea]] has 'GSX', but \
      must have only 'RMC', 'GGA', 'GSA', 'GST', 'VTG' or 'ZDA' (did you mean 'GSA'?) & 13: 'sentences' in [[nmea]] \
      has 'GSA' twice
    app = "plotter" | socket = "/s" | [[nmea]] | app = "plotter" | socket = "/s" \
      → 15: /s is configured twice (first in line 12)
    socket = "/s" | app = "plotter" | sentences = [] → 13: 'sentences' in [[nmea]] is empty
    """
}
