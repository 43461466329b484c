import GNSS
@testable import LineProtocol
import SeededNumbers
import Testing

@Suite struct PositionTests {
  private static let full =
    #"{"time":"2026-11-21T07:31:34.200Z","lat":47.376888,"lon":8.541694,"hacc":2.9,"alt":408.2,"vacc":5.1,"#
    + #""speed":0.4,"sacc":0.3,"course":211.0,"cacc":9.0,"fix":"3d","sats":11,"accuracy":"full","age_ms":140,"#
    + #""geoid":47.3,"hdop":0.8,"quality":"autonomous""#
  private static let reduced =
    #"{"time":"2026-11-21T07:30:00.000Z","lat":47.37,"lon":8.54,"hacc":2500.0,"accuracy":"reduced"}"#

  private func report(_ text: String) throws -> JSONValue { try #require(JSONValue(text.utf8)) }

  private func tpv(_ json: String) throws -> JSONValue { try report(try #require(Position(json: json)).tpv) }

  @Test func `a full fix has all that gpsd has a name for, in its units`() throws {
    let position = try #require(Position(json: Self.full + "}"))
    let tpv = try report(position.tpv)
    #expect(tpv["class"]?.string == "TPV" && tpv["device"]?.string == "onefix" && tpv["mode"]?.number == 3)
    #expect(tpv["time"]?.string == "2026-11-21T07:31:34.200Z")
    #expect(tpv["lat"]?.number == 47.376888 && tpv["lon"]?.number == 8.541694)
    #expect(tpv["altMSL"]?.number == 408.2 && tpv["alt"]?.number == 408.2 && tpv["altHAE"]?.number == 455.5)
    #expect(tpv["track"]?.number == 211 && tpv["speed"]?.number == 0.4)
    #expect(tpv["status"] == nil && position.sky == nil)
  }

  @Test func `an accuracy of 68 % becomes gpsd's accuracy of 95 %, rounded up`() throws {
    let tpv = try tpv(Self.full + "}")
    // Normal distributions: the circle's quantiles are √(−2 ln(1 − p)), the interval's 0.9945 and 1.95996.
    for (name, exact) in [
      ("eph", 2.9 * 1.62145), ("epx", 2.9 * 1.29830), ("epy", 2.9 * 1.29830), ("epv", 5.1 * 1.97080),
      ("epd", 9 * 1.97080), ("eps", 0.3 * 1.97080),
    ] {
      let value = try #require(tpv[name]?.number)
      #expect(abs(value - exact) < 0.0015, "\(name)")
    }
  }

  @Test func `a reduced fix has a quarter hour, a position, a radius of 95 %, and nothing else`() throws {
    let position = try #require(Position(json: Self.reduced))
    guard case .object(let members) = try report(position.tpv) else { throw NoObject() }
    #expect(Set(members.keys) == ["class", "device", "mode", "time", "lat", "lon", "eph", "epx", "epy"])
    #expect(members["mode"]?.number == 2 && members["time"]?.string == "2026-11-21T07:30:00.000Z")
    #expect(position.sky == nil)
    #expect(members["eph"]?.number == 2500)
    // On one axis: 1.95996 / √(−2 ln 0.05).
    for name in ["epx", "epy"] { #expect(abs(try #require(members[name]?.number) - 2500 * 0.80072) < 0.1, "\(name)") }
  }

  struct NoObject: Error {}

  @Test(arguments: [
    ("differential", 2), ("rtk-fixed", 3), ("rtk-float", 4), ("estimated", 5), ("manual", 7), ("simulator", 8),
    ("precise", 9), (#"precise","coasted":true,"x":""#, 5),
  ])
  func `the method of a fix has gpsd's value, and a coasted position is an estimated one`(quality: String, status: Int)
    throws
  {
    let tpv = try tpv(Self.full.replacing("autonomous", with: quality) + "}")
    #expect(tpv["status"]?.number == Double(status))
  }

  @Test func `if the gateway sends satellites, the reports contain them with gpsd's numbers`() throws {
    let json =
      Self.full + #","sky":[{"gnss":"gps","id":7,"el":30,"az":120,"ss":41,"used":true},{"gnss":"glonass","id":70},"#
      + #"{"gnss":"sbas","id":36,"used":false},{"id":12}]}"#
    let sky = try report(try #require(Position(json: json)?.sky))
    #expect(sky["class"]?.string == "SKY" && sky["nSat"]?.number == 4 && sky["uSat"]?.number == 1)
    #expect(sky["time"]?.string == "2026-11-21T07:31:34.200Z" && sky["hdop"]?.number == 0.8)
    let satellites = try #require(sky["satellites"]?.array)
    #expect(satellites.map { $0["PRN"]?.number } == [7, 70, 123, 12])
    #expect(satellites.map { $0["gnssid"]?.number } == [0, 6, 1, nil])
    #expect(satellites.map { $0["svid"]?.number } == [7, 6, 123, nil])
    #expect(
      satellites[0]["el"]?.number == 30 && satellites[0]["az"]?.number == 120 && satellites[0]["ss"]?.number == 41)
  }

  @Test func `every satellite system has its number in gpsd, which also identifies it`() {
    for system in Constellation.allCases { #expect(Constellation(gnssID: system.gnssID) == system) }
    let systems: [Constellation] = [.gps, .sbas, .galileo, .beidou, .qzss, .glonass, .navic]
    #expect(systems.map(\.gnssID) == [0, 1, 2, 3, 5, 6, 7])
    for number in [-1, 4, 8] { #expect(Constellation(gnssID: number) == nil) }
  }

  @Test(arguments: ["", "{}", "[]", #"{"lat":1}"#, #"{"event":"enter"}"#])
  func `a text that is not a fix gives no position`(json: String) { #expect(Position(json: json) == nil) }

  @Test func `a position has exactly the digits of the gateway`() throws {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let latitude = Double.random(in: -90...90, using: &generator)
      let longitude = Double.random(in: -180...180, using: &generator)
      let object: JSONObject = ["lat": latitude, "lon": longitude, "hacc": 3.0]
      let said = try report(object.text)
      let tpv = try tpv(object.text)
      #expect(tpv["lat"] == said["lat"] && tpv["lon"] == said["lon"])
    }
  }
}
