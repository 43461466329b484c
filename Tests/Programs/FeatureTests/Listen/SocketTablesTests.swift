import LineProtocol
import Configuration
import Testing

@testable import Features

@Suite struct SocketTablesTests {
  private static let apps = """
    [[app]]
    id = "plotter"
    uid = 0
    [[app]]
    id = "kiosk"
    unit = "kiosk.service"
    [[app]]
    id = "remote"
    key = true

    """

  private func told(_ tables: String) -> [String] { faults(Self.apps + tables) }

  @Test func `a listener with a socket belongs to one app, and is no network listener`() throws {
    let text =
      Self.apps + "[[listen]]\nsocket = \"/run/onefix/plotter/onefix.sock\"\napp = \"plotter\"\n"
      + "[[listen]]\naddress = \"127.0.0.1:7447\"\n[[listen]]\nsocket = \"/run/k\"\napp = \"kiosk\"\n"
    let found: ListenFeature = try #require(try read(text))
    #expect(found.sockets.map(\.path) == ["/run/onefix/plotter/onefix.sock", "/run/k"])
    #expect(found.sockets.map(\.app.name) == ["plotter", "kiosk"])
    #expect(found.sockets.map { "\($0.location)" } == ["onefix.toml:11", "onefix.toml:16"])
    #expect(found.listeners.map(\.port) == [7447])
  }

  @Test(arguments: [
    ("socket = \"/s\"", ["10: error: [[listen]] needs 'app'"]),
    ("socket = \"/s\"\napp = \"ploter\"", ["12: error: no [[app]] has the id 'ploter' (did you mean 'plotter'?)"]),
    (
      "socket = \"/s\"\napp = \"remote\"",
      [
        "12: error: app 'remote' has no 'uid' or 'unit' (a client of a socket is identified by its user or its unit)"
      ]
    ),
    (
      "socket = \"/s\"\napp = \"plotter\"\naddress = \"127.0.0.1:1\"",
      ["10: error: [[listen]] has 'address' and 'socket', but must have only one"]
    ),
    (
      "socket = \"/s\"\napp = \"plotter\"\n[[listen]]\nsocket = \"/s\"\napp = \"kiosk\"",
      ["14: error: /s is configured twice (first in line 11)"]
    ),
    (
      "socket = \"/a/../s\"\napp = \"plotter\"",
      [
        "11: error: 'socket' in [[listen]] is '/a/../s', but must be a path without '//', '.' and '..'"
      ]
    ),
    (
      "socket = \"/a//s\"\napp = \"plotter\"",
      [
        "11: error: 'socket' in [[listen]] is '/a//s', but must be a path without '//', '.' and '..'"
      ]
    ),
    (
      "socket = \"/var/run/onefix/p/s\"\napp = \"plotter\"",
      [
        "11: error: 'socket' in [[listen]] is '/var/run/onefix/p/s', but /var/run is a link to /run (use "
          + "'/run/onefix/p/s')"
      ]
    ),
    (
      "socket = \"/\(String(repeating: "s", count: 107))\"\napp = \"plotter\"",
      ["11: error: 'socket' in [[listen]] has 108 bytes, but must have at most 107"]
    ),
    (
      "socket = \"/s\"\napp = \"plotter\"\ncertificate = \"/c\"",
      ["13: error: unknown key 'certificate' in [[listen]] (known: socket, app, address)"]
    ),
  ])
  func `an invalid listener is refused, with its line`(table: String, errors: [String]) {
    #expect(told("[[listen]]\n" + table) == errors.map { "onefix.toml:" + $0 })
  }
}
