import Configuration
import Testing

@testable import Features

/// The tables of a listener, which begin in line 5, its addresses, the beginning of its codes, its line, and the end of
/// the remedy if an address is in use.
private let listeners: [(tables: String, addresses: [String], role: String, line: Int, remedy: String)] = [
  (
    "[[nmea]]\napp = \"plotter\"\naddress = \"[::1]:10121\"", ["[::1]:10121"], "nmea", 7,
    "'address' or 'socket' in [[nmea]]"
  ),
  (
    "[[nmea]]\napp = \"plotter\"\nsocket = \"/run/p/nmea\"", ["/run/p/nmea"], "nmea", 7,
    "'address' or 'socket' in [[nmea]]"
  ),
  (
    "[gpsd_server]\napps = [\"plotter\"]", ["127.0.0.1:2947", "[::1]:2947"], "gpsd", 5,
    "systemctl disable --now gpsd.socket gpsd.service; or choose another 'port'"
  ),
  ("[page]\nport = 8021", ["127.0.0.1:8021", "[::1]:8021"], "page", 6, "'port' in [page]"),
  ("[[listen]]\naddress = \"127.0.0.1:7447\"", ["127.0.0.1:7447"], "listen", 6, "'address' in [[listen]]"),
  ("[[listen]]\nsocket = \"/run/p/s\"\napp = \"plotter\"", ["/run/p/s"], "listen", 6, "'socket' in [[listen]]"),
]

@Test(
  arguments: listeners.indices, [nil, [], ["signalk"], ["httpd", "systemd"], ["onefixd"]] as [[String]?])
func `an address in use is reported with a remedy, and the running daemon as a note`(
  number: Int, holders: [String]?
) throws {
  let (tables, addresses, role, line, remedy) = listeners[number]
  let text = "allow_shared_receiver = true\n[[app]]\nid = \"plotter\"\nuid = 1000\n\(tables)\n"
  for address in addresses {
    let machine = machine {
      guard let holders else { return }
      $0.listeningAddresses[address] = Machine.ListeningAddress(
        isInUse: true, holders: holders.map { Machine.Process(pid: 42, name: $0) })
    }
    let found = try subject(of: text, featureTypes).findings(on: machine)
    guard let holders, holders != ["onefixd"] else {
      #expect(brief(found) == (holders == nil ? [] : ["note \(role)-held onefix.toml:\(line)"]))
      continue
    }
    #expect(brief(found) == ["error \(role)-taken onefix.toml:\(line)"], "\(address)")
    let finding = try #require(found.first)
    #expect(finding.message.hasPrefix("another program listens on ") && finding.message.contains(address))
    #expect(holders.allSatisfy { finding.message.contains("\($0), pid 42") })
    #expect(finding.remedy?.contains(remedy) == true && !finding.fault.isConfiguration)
  }
}
