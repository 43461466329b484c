import LineProtocol
import Configuration
import Testing

@testable import Features

@Suite struct GPSDFeatureTests {
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
    [[app]]
    id = "ghost"
    uid = "nobody-at-all"

    """

  private func told(_ table: String) -> [String] { faults(Self.apps + "[gpsd_server]\n" + table) }

  @Test func `without the table there is no server for gpsd clients`() throws {
    #expect(try read(Self.apps, as: GPSDFeature.self) == nil)
  }

  @Test func `the default address is that of gpsd, and each user is an app`() throws {
    let settings: GPSDFeature = try #require(
      try read(Self.apps + "[gpsd_server]\napps = [\"navit\", \"guest\"]"))
    #expect(settings.hosts == ["127.0.0.1", "::1"] && settings.port == 2947)
    #expect(settings.apps.mapValues(\.name) == [1000: "navit", 1001: "guest"])
    #expect("\(settings.location)" == "onefix.toml:16")
  }

  @Test func `a port is one on both loopback addresses, and excludes an address`() throws {
    let text = Self.apps + "[gpsd_server]\nport = 2948\napps = [\"guest\"]\n"
    let settings: GPSDFeature = try #require(try read(text))
    #expect(settings.hosts == ["127.0.0.1", "::1"] && settings.port == 2948)
    #expect("\(settings.location)" == "onefix.toml:17")
    #expect(
      faults(text + "address = \"127.0.0.1:2948\"")
        == ["onefix.toml:16: error: [gpsd_server] has 'address' and 'port', but must have only one"])
  }

  @Test func `an app whose user does not exist is left out`() throws {
    let settings: GPSDFeature = try #require(
      try read(Self.apps + "[gpsd_server]\napps = [\"ghost\", \"guest\"]"))
    #expect(settings.apps.mapValues(\.name) == [1001: "guest"])
  }

  @Test(arguments: [("127.0.0.1:0", "127.0.0.1", 0), ("[::1]:2948", "::1", 2948)])
  func `any loopback address is valid`(address: String, host: String, port: Int) throws {
    let text = Self.apps + "[gpsd_server]\naddress = \"\(address)\"\napps = [\"guest\"]"
    let settings: GPSDFeature = try #require(try read(text))
    #expect(settings.hosts == [host] && settings.port == port && "\(settings.location)" == "onefix.toml:17")
  }

  @Test(arguments: ["0.0.0.0:2947", "192.0.2.1:2947", "[::]:2947", "127.0.0.1", "localhost:2947", ""])
  func `other addresses are refused, because they do not identify the user`(address: String) {
    let found = told("address = \"\(address)\"\napps = [\"guest\"]")
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix(
        "onefix.toml:17: error: 'address' in [gpsd_server] is '\(address)', but must be a loopback address") == true)
  }

  private static let invalid = """
    → 16: [gpsd_server] needs 'apps'
    apps = ["gest"] → 17: no [[app]] has the id 'gest' (did you mean 'guest'?)
    apps = ["kiosk"] → 17: app 'kiosk' has no 'uid' (a gpsd client is identified by its user)
    apps = ["navit", "twin"] → 17: apps 'navit' and 'twin' have the same 'uid' (a gpsd client is identified by its user)
    apps = ["guest", "guest"] → 17: app 'guest' is named twice
    """

  @Test(arguments: cases(invalid))
  func `an app without a distinct user is refused with its line`(table: String, errors: [String]) {
    #expect(told(table) == errors)
  }

  @Test func `unknown keys are refused`() {
    #expect(told("apps = []\nadress = \"127.0.0.1:1\"").first?.contains("unknown key 'adress'") == true)
  }
}
