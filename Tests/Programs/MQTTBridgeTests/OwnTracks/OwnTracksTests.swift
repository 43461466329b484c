import Base
import Features
import GNSS
import LineProtocol
import Ports
import Testing

/// The messages have the required elements of the OwnTracks Booklet ("JSON"), no others, and whole numbers where it
/// has integers.
@Suite struct OwnTracksTests {
  /// 2026-11-21T07:31:34.200Z
  private static let time = UTCTime(nanosecondsSince1970: 1_795_246_294_200_000_000)
  private static let later = UTCTime(nanosecondsSince1970: 1_795_246_296_000_000_000)

  private static let position =
    #"{"_type":"location","tid":"b7","tst":1795246294,"lat":47.376888,"lon":8.541694,"acc":3,"t":"u""#
  private static let values = #","alt":-1,"vac":6,"vel":9,"cog":0"#

  private let ownTracks = OwnTracks(BridgeTopics(gateway: "boat-b-7", app: "ferry"))
  private let bare = FixReport(
    coordinate: Coordinate(latitude: 47.376888, longitude: 8.541694)!, horizontalAccuracy: 2.1, accuracy: .full)

  private var full: FixReport {
    var fix = bare
    fix.time = Self.time
    fix.altitude = -0.6
    fix.verticalAccuracy = 5.01
    fix.speed = 2.5
    fix.course = 359.7
    return fix
  }

  private func location(_ fix: FixReport, isByPress: Bool = true, disclosed: UTCTime = later) throws -> JSONValue? {
    let published = PublishedFix(fix, id: "a", isByPress: isByPress, disclosed: disclosed)
    let message = try #require(ownTracks.location(published))
    #expect(message.topic == "owntracks/boat-b-7/ferry")
    return JSONValue(message.payload)
  }

  private func json(_ text: String) throws -> JSONValue { try #require(JSONValue(text.utf8)) }

  @Test func `a location has whole metres and kilometres per hour, the time of the position, and no unknown value`()
    throws
  {
    let all = try json(Self.position + Self.values + #","created_at":1795246296}"#)
    #expect(try location(full) == all)
    // A fix at a press has the time of the press, and not that of its measurement.
    var fix = full
    fix.measured = UTCTime(nanosecondsSince1970: Self.time.nanosecondsSince1970 - 1_900_000_000)
    #expect(try location(fix) == all)
    // The time of a clock that is not set is absent, if the receiver knows the time.
    let unset = UTCTime(nanosecondsSince1970: 12_000_000_000)
    #expect(try location(full, disclosed: unset) == json(Self.position + Self.values + "}"))
    // Equal times are written once. A receiver without dates is believed to have measured just now.
    #expect(try location(bare, disclosed: Self.time) == json(Self.position + "}"))
    fix.accuracy = .reduced
    #expect(try location(fix) == json(Self.position + "}"))
    let place = FixReport(place: "harbour", time: Self.time)
    #expect(ownTracks.location(PublishedFix(place, id: "a", isByPress: true, disclosed: Self.time)) == nil)
  }

  @Test(arguments: [(true, "u"), (false, "r")])
  func `the trigger of a fix has the name that the apps use`(isByPress: Bool, letter: String) throws {
    #expect(try location(full, isByPress: isByPress)?["t"]?.string == letter)
  }

  @Test func `a radius is rounded up by at most a metre`() throws {
    for step in 0..<4000 {
      var fix = bare
      fix.horizontalAccuracy = Double(step) * 0.013
      let told = try #require(try location(fix)?["acc"]?.number)
      #expect(told == told.rounded() && told >= Double(step) * 0.013 && told < Double(step) * 0.013 + 1)
    }
  }

  @Test(arguments: [(true, "enter"), (false, "leave")])
  func `a transition has the name of the region, and no position`(isEntry: Bool, event: String) throws {
    let crossing = RegionCrossing(
      region: "harbour", text: "The \"old\" harbour", radius: 150.2, isEntry: isEntry, time: Self.later,
      registered: Self.time)
    let (topic, payload) = ownTracks.transition(crossing)
    #expect(topic == "owntracks/boat-b-7/ferry/event")
    // The radius is that of the circle that the app registered. Home Assistant reads the latitude and the longitude.
    let members =
      #"{"_type":"transition","tid":"b7","event":"\#(event)","rid":"harbour","desc":"The \"old\" harbour","t":"c","#
      + #""tst":1795246296,"wtst":1795246294,"lat":null,"lon":null,"acc":151}"#
    #expect(try json(payload) == json(members))
  }

  @Test func `a will contains the time of the connection`() throws {
    let (topic, payload) = ownTracks.will(connected: Self.time)
    #expect(topic == "owntracks/boat-b-7/ferry")
    #expect(try json(payload) == json(#"{"_type":"lwt","tst":1795246294}"#))
  }
}
