import Configuration
import LineProtocol
import Testing

@testable import Features

@Suite struct GPSDFeatureTests {
  static let apps = #"""
    [[app]] | id = "navit" | uid = "skipper" | [[app]] | id = "kiosk" | unit = "kiosk.service" | [[app]] \#
    | id = "guest" | uid = 1001 | [[app]] | id = "twin" | uid = 1000 | [[app]] | id = "ghost" | uid = "nobody-at-all"
    """#

  @Test(
    arguments: [
      ("apps = [\"navit\", \"guest\"]", ["127.0.0.1", "::1"], 2947, [1000: "navit", 1001: "guest"], 16),
      ("apps = [\"ghost\", \"guest\"]", ["127.0.0.1", "::1"], 2947, [1001: "guest"], 16),
      ("port = 2948\napps = [\"guest\"]", ["127.0.0.1", "::1"], 2948, [1001: "guest"], 17),
      ("address = \"127.0.0.1:0\"\napps = [\"guest\"]", ["127.0.0.1"], 0, [1001: "guest"], 17),
      ("address = \"[::1]:2948\"\napps = [\"guest\"]", ["::1"], 2948, [1001: "guest"], 17),
    ] as [(String, [String], Int, [UInt32: String], Int)])
  func `a server has a port on one or both loopback addresses, and an app for each user that exists`(
    table: String, hosts: [String], port: Int, apps: [UInt32: String], line: Int
  ) throws {
    let settings: GPSDFeature = try #require(try read(Self.apps + "\n[gpsd_server]\n" + table))
    #expect(settings.hosts == hosts && settings.port == port)
    #expect(settings.apps.mapValues(\.name) == apps)
    #expect("\(settings.location)" == "onefix.toml:\(line)")
  }

  static let invalid = """
    → 16: [gpsd_server] needs 'apps'
    apps = ["gest"] → 17: no [[app]] has the id 'gest' (did you mean 'guest'?)
    apps = ["kiosk"] → 17: app 'kiosk' has no 'uid' (a gpsd client is identified by its user)
    apps = ["navit", "twin"] → 17: apps 'navit' and 'twin' have the same 'uid' (a gpsd client is identified by its user)
    apps = ["guest", "guest"] → 17: app 'guest' is named twice
    apps = ["guest"] | adress = "127.0.0.1:1" → 18: unknown key 'adress' in [gpsd_server] (did you mean 'address'?)
    port = 2948 | apps = ["guest"] | address = "127.0.0.1:2948" \
      → 16: [gpsd_server] has 'address' and 'port', but must have only one
    """
}
