import Configuration
import LineProtocol
import Testing

@testable import Features

@Suite struct SocketTablesTests {
  @Test func `a listener with a socket belongs to one app, and is no network listener`() throws {
    let tables = #"""
      [[listen]] | socket = "/run/onefix/plotter/onefix.sock" | app = "plotter" | [[listen]] \#
      | address = "127.0.0.1:7447" | [[listen]] | socket = "/run/k" | app = "kiosk"
      """#
    let found: ListenFeature = try #require(try read(socketApps + tables))
    #expect(
      found.sockets.map { "\($0.path) \($0.app.name) \($0.location)" } == [
        "/run/onefix/plotter/onefix.sock plotter onefix.toml:11", "/run/k kiosk onefix.toml:16",
      ])
    #expect(found.listeners.map(\.port) == [7447])
  }

  static let invalid = """
    socket = "/s" → 10: [[listen]] needs 'app'
    socket = "s" | app = "plotter" → 11: 'socket' in [[listen]] is 's', but must be a path that begins with /
    socket = "/s" | app = "ploter" → 12: no [[app]] has the id 'ploter' (did you mean 'plotter'?)
    socket = "/s" | app = "remote" \
      → 12: app 'remote' has no 'uid' or 'unit' (a client of a socket is identified by its user or its unit)
    socket = "/s" | app = "plotter" | address = "127.0.0.1:1" \
      → 10: [[listen]] has 'address' and 'socket', but must have only one
    socket = "/s" | app = "plotter" | [[listen]] | socket = "/s" | app = "kiosk" \
      → 14: /s is configured twice (first in line 11)
    socket = "/a//s" | app = "plotter" \
      → 11: 'socket' in [[listen]] is '/a//s', but must be a path without '//', '.' and '..'
    socket = "/var/run/onefix/p/s" | app = "plotter" \
      → 11: 'socket' in [[listen]] is '/var/run/onefix/p/s', but /var/run is a link to /run (use '/run/onefix/p/s')
    socket = "/\(String(repeating: "s", count: 103))" | app = "plotter" \
      → 11: 'socket' in [[listen]] has 104 bytes, but must have at most 103
    socket = "/s" | app = "plotter" | certificate = "/c" \
      → 13: unknown key 'certificate' in [[listen]] (known: socket, app, address)
    """
}
