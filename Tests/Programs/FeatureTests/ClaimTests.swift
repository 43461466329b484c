import Configuration
import Testing

@testable import Features

/// The network addresses and the paths that a table can use, and that only one table can use.
@Suite struct ClaimTests {
  static let claims = """
    [page] | port = 2947 | [gpsd_server] | apps = ["plotter"] \
      → 11: 127.0.0.1:2947 is configured twice (also in line 12)
    [[listen]] | address = "[::1]:8021" | [page] | port = 8021 \
      → 13: [::1]:8021 is configured twice (also in line 11)
    [[nmea]] | app = "plotter" | address = "[::1]:1" | [gpsd_server] | apps = ["plotter"] | address = "[0::1]:1" \
      → 12: [::1]:1 is configured twice (also in line 15)
    [[nmea]] | app = "plotter" | address = "[::1]:1" | [[nmea]] | app = "plotter" | address = "[0:0:0:0:0:0:0:1]:1" \
      → 15: [::1]:1 is configured twice (first in line 12)
    [[listen]] | address = "0.0.0.0:1" | certificate = "/c" | private_key = "/k" | [[listen]] \
      | address = "127.0.0.1:1" → 15: 127.0.0.1:1 needs the port of 0.0.0.0:1 in line 11 (choose another port)
    [[listen]] | address = "[::]:1" | certificate = "/c" | private_key = "/k" | [page] | port = 1 \
      → 15: 127.0.0.1:1 needs the port of [::]:1 in line 11 (choose another port)
    [[file]] | path = "/m" | app = "remote" | format = "csv" | [metrics] | file = "/m" \
      → 15: /m is configured twice (also in line 11)
    [[nmea]] | app = "plotter" | socket = "/m" | [metrics] | file = "/m" \
      → 14: /m is configured twice (also in line 12)
    [[nmea]] | app = "plotter" | socket = "/s" | [[listen]] | socket = "/s" | app = "plotter" \
      → 12: /s is configured twice (also in line 14)
    [[nmea]] | app = "plotter" | socket = "/s" | [time] | chrony = "/s" \
      → 14: /s is configured twice (also in line 12)
    [page] | port = 0 | [gpsd_server] | apps = ["plotter"] | port = 0
    [page] | port = 2947 | [gpsd_server] | apps = ["plotter"] | address = "127.0.0.2:2947"
    [[nmea]] | app = "plotter" | address = "127.0.0.1:1" | [[listen]] | address = "[::1]:1"
    [[listen]] | address = "0.0.0.0:1" | certificate = "/c" | private_key = "/k" | [[listen]] | address = "[::1]:1"
    [[listen]] | address = "0.0.0.0:1" | certificate = "/c" | private_key = "/k" | [[listen]] | address = "127.0.0.1:2"
    """

  @Test(
    arguments: ["[gpsd_server]\napps = [\"plotter\"]", "[[nmea]]\napp = \"plotter\""],
    ["0.0.0.0:2947", "192.0.2.1:2947", "[::]:2947", "127.0.0.1", "localhost:2947", ""])
  func `a listener that identifies its clients by their user has a loopback address and a port`(
    table: String, address: String
  ) {
    let found = faults("\(socketApps)\(table)\naddress = \"\(address)\"")
    let message = "'address' in \(table.prefix { $0 != "\n" }) is '\(address)', but must be a loopback address"
    #expect(found.count == 1 && found.first?.hasPrefix("onefix.toml:12: error: \(message)") == true, "\(found)")
  }
}
