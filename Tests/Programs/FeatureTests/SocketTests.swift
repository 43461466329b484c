import Configuration
import Testing

@testable import Features

/// The sockets of single apps, which several features can have.
@Suite struct SocketTests {
  private static let apps = "[[app]]\nid = \"plotter\"\nuid = 0\n"

  @Test(arguments: ["[metrics]\nfile", "[time]\nchrony", "[[file]]\napp = \"plotter\"\nformat = \"csv\"\npath"])
  func `a file of a feature cannot have the path of a socket of the daemon`(key: String) throws {
    let found = try configuration(Self.apps + key + " = \"/run/onefix/onefix.sock\"\n")
    try found.checkSockets(apartFrom: ["/tmp/s", "/tmp/owner.sock"])
    #expect(throws: ConfigurationError.self) {
      try found.checkSockets(apartFrom: ["/run/onefix/onefix.sock", "/run/onefix/owner.sock"])
    }
  }

  @Test func `a listener of an app cannot have a socket of the daemon`() throws {
    let text =
      Self.apps + "[[listen]]\nsocket = \"/run/onefix/owner.sock\"\napp = \"plotter\"\n"
      + "[[listen]]\nsocket = \"/run/onefix/p/s\"\napp = \"plotter\"\n"
      + "[[nmea]]\nsocket = \"/run/onefix/onefix.sock\"\napp = \"plotter\"\n"
      + "[[nmea]]\naddress = \"127.0.0.1:10121\"\napp = \"plotter\"\n"
    let found = try configuration(text)
    try found.checkSockets(apartFrom: ["/tmp/s", "/tmp/owner.sock"])
    let message = "is a socket of all apps or of the owners (choose another path)"
    let error = ConfigurationError([
      Diagnostic(file: "onefix.toml", line: 5, message: "/run/onefix/owner.sock \(message)"),
      Diagnostic(file: "onefix.toml", line: 11, message: "/run/onefix/onefix.sock \(message)"),
    ])
    #expect(throws: error) {
      try found.checkSockets(apartFrom: ["/run/onefix/onefix.sock", "/run/onefix/owner.sock"])
    }
  }

  /// The findings about two apps of root, with sockets of their own and the given listeners for readers of sentences.
  private func findings(readers: [(socket: String, app: String)]) throws -> [String] {
    let apps = ["a", "b"].map { "[[app]]\nid = \"\($0)\"\nuid = 0\n" }
    let sockets = ["a", "b"].map { "[[listen]]\nsocket = \"/run/x/\($0)/s\"\napp = \"\($0)\"\n" }
    let tables = readers.map { "[[nmea]]\nsocket = \"\($0.socket)\"\napp = \"\($0.app)\"\n" }
    let found = try subject(of: (apps + sockets + tables).joined(), featureTypes).configurationFindings
    return brief(found.filter { $0.code == "app-shared" })
  }

  @Test(arguments: [
    ([("/run/x/a/n", "b")], true), ([("/run/x/n", "b")], true), ([("/run/x/b/n", "b")], false),
    ([("/run/n/n", "b")], false), ([("/run/n/a.sock", "a"), ("/run/n/b.sock", "b")], true),
    ([("/run/n/a/s", "a"), ("/run/n/b/s", "b")], false),
  ])
  func `a container must not have the folder in which another app of its user reads sentences`(
    readers: [(socket: String, app: String)], isShared: Bool
  ) throws {
    #expect(try findings(readers: readers) == (isShared ? ["warning app-shared onefix.toml:6"] : []))
  }
}
