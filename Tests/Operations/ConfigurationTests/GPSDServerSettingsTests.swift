import Authorization
import Testing

@testable import Configuration

@Suite struct GPSDServerSettingsTests {
  private static let apps = """
    [[app]]
    id = "navit"
    uid = "skipper"
    [[app]]
    id = "kiosk"
    unit = "kiosk.service"
    [[app]]
    id = "guest"
    uid = 1001
    [[app]]
    id = "twin"
    uid = 1000

    """

  private func told(_ table: String) -> [String] { faults(Self.apps + "[gpsd_server]\n" + table) }

  @Test func `without a table there is no server for clients of gpsd`() throws {
    #expect(try configuration(Self.apps).gpsdServer == nil)
  }

  @Test func `it listens where gpsd does unless it is told otherwise, and each user is an app`() throws {
    let settings = try #require(
      try configuration(Self.apps + "[gpsd_server]\napps = [\"navit\", \"guest\"]").gpsdServer)
    #expect(settings.host == "127.0.0.1" && settings.port == 2947)
    #expect(settings.apps.mapValues(\.name) == [1000: "navit", 1001: "guest"])
    #expect("\(settings.place)" == "onefix.toml:13")
  }

  @Test(arguments: [("127.0.0.1:0", "127.0.0.1", 0), ("[::1]:2948", "::1", 2948)])
  func `any address of loopback will do`(address: String, host: String, port: Int) throws {
    let text = Self.apps + "[gpsd_server]\naddress = \"\(address)\"\napps = [\"guest\"]"
    let settings = try #require(try configuration(text).gpsdServer)
    #expect(settings.host == host && settings.port == port && "\(settings.place)" == "onefix.toml:14")
  }

  @Test(arguments: ["0.0.0.0:2947", "192.0.2.1:2947", "[::]:2947", "127.0.0.1", "localhost:2947", ""])
  func `off loopback nobody knows whose a client is`(address: String) {
    let found = told("address = \"\(address)\"\napps = [\"guest\"]")
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix(
        "onefix.toml:14: error: 'address' in [gpsd_server] is '\(address)', but must be of loopback") == true)
  }

  @Test(arguments: [
    ("", "onefix.toml:13: error: [gpsd_server] needs 'apps'"),
    (
      "apps = [\"gest\"]", "onefix.toml:14: error: no [[app]] has the id 'gest' (did you mean 'guest'?)"
    ),
    (
      "apps = [\"kiosk\"]",
      "onefix.toml:14: error: app 'kiosk' has no 'uid': a client of gpsd is known by the user that it runs as"
    ),
    (
      "apps = [\"navit\", \"twin\"]",
      "onefix.toml:14: error: apps 'navit' and 'twin' have the same 'uid': a client of gpsd cannot say which it is"
    ),
    ("apps = [\"guest\", \"guest\"]", "onefix.toml:14: error: app 'guest' is named twice"),
  ])
  func `who cannot be known is refused with its line`(table: String, fault: String) {
    #expect(told(table) == [fault])
  }

  @Test func `unknown keys are refused`() {
    #expect(told("apps = []\nadress = \"127.0.0.1:1\"").first?.contains("unknown key 'adress'") == true)
  }
}
