import Base
import Features
import GNSS
import LineProtocol
import Ports
import Testing

/// The rules of the OwnTracks Booklet ("JSON") for each message: the required elements, and the whole numbers.
private struct Rules {
  var required: Set<String>
  var optional: Set<String>
  var whole: Set<String>

  static let location = Rules(
    required: ["_type", "lat", "lon", "tst"],
    optional: ["acc", "alt", "cog", "t", "tid", "vac", "vel", "created_at"],
    whole: ["acc", "alt", "cog", "tst", "vac", "vel", "created_at"])
  static let transition = Rules(
    required: ["_type", "tst", "acc", "event", "wtst"], optional: ["lat", "lon", "tid", "desc", "t", "rid"],
    whole: ["tst", "acc", "wtst"])
  static let lwt = Rules(required: ["_type", "tst"], optional: [], whole: ["tst"])

  func members(of payload: String) throws -> [String: JSONValue] {
    guard case .object(let members)? = JSONValue(payload.utf8) else { throw NoObject(payload: payload) }
    #expect(required.isSubset(of: members.keys), "\(payload)")
    #expect(required.union(optional).isSuperset(of: members.keys), "\(payload)")
    for name in whole {
      if let number = members[name]?.number { #expect(number == number.rounded(), "\(name) in \(payload)") }
    }
    return members
  }

  struct NoObject: Error { var payload: String }
}

@Suite struct OwnTracksTests {
  /// 2026-11-21T07:31:34.200Z
  private static let time = UTCTime(nanosecondsSince1970: 1_795_246_294_200_000_000)
  private static let later = UTCTime(nanosecondsSince1970: 1_795_246_296_000_000_000)

  private func full() throws -> FixReport {
    let coordinate = try #require(Coordinate(latitude: 47.376888, longitude: 8.541694))
    var fix = FixReport(coordinate: coordinate, horizontalAccuracy: 2.1, accuracy: .full)
    fix.time = Self.time
    fix.altitude = -0.6
    fix.verticalAccuracy = 5.01
    fix.speed = 2.5
    fix.course = 359.7
    return fix
  }

  private let ownTracks = OwnTracks(BridgeTopics(gateway: "boat-b-7", app: "ferry"))

  private func payload(_ fix: FixReport, isByPress: Bool = true, created: UTCTime = time) throws -> String {
    let published = PublishedFix(fix, id: "a", isByPress: isByPress, disclosed: created)
    let message = try #require(ownTracks.location(published))
    #expect(message.topic == "owntracks/boat-b-7/ferry")
    return String(decoding: message.payload, as: UTF8.self)
  }

  @Test func `OwnTracks has no names of places, so there is no message for one`() {
    let name = FixReport(place: "harbour", time: Self.time)
    #expect(ownTracks.location(PublishedFix(name, id: "a", isByPress: true, disclosed: Self.time)) == nil)
  }

  @Test func `a full fix has whole metres and kilometres per hour, and its radius is rounded up`() throws {
    let members = try Rules.location.members(of: payload(full(), created: Self.later))
    #expect(members["_type"]?.string == "location" && members["tid"]?.string == "b7" && members["t"]?.string == "u")
    #expect(members["lat"]?.number == 47.376888 && members["lon"]?.number == 8.541694)
    #expect(members["tst"]?.number == 1_795_246_294 && members["created_at"]?.number == 1_795_246_296)
    #expect(members["acc"]?.number == 3 && members["vac"]?.number == 6)
    #expect(members["alt"]?.number == -1 && members["vel"]?.number == 9 && members["cog"]?.number == 0)
  }

  @Test func `a fix at a press has the time of the press, and not that of its measurement`() throws {
    var fix = try full()
    fix.measured = UTCTime(nanosecondsSince1970: Self.time.nanosecondsSince1970 - 1_900_000_000)
    let members = try Rules.location.members(of: payload(fix, created: Self.later))
    #expect(try members == Rules.location.members(of: payload(full(), created: Self.later)))
    #expect(members["tst"]?.number == 1_795_246_294)
  }

  @Test func `the time of a clock that is not set is absent, if the receiver knows the time`() throws {
    let unset = UTCTime(nanosecondsSince1970: 12_000_000_000)
    let members = try Rules.location.members(of: payload(full(), created: unset))
    #expect(members["tst"]?.number == 1_795_246_294 && members["created_at"] == nil)
  }

  @Test func `equal times are written once, and unknown values are absent`() throws {
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    let fix = FixReport(coordinate: coordinate, horizontalAccuracy: 3, accuracy: .full)
    let members = try Rules.location.members(of: payload(fix))
    #expect(Set(members.keys) == ["_type", "tid", "t", "tst", "lat", "lon", "acc"])
    #expect(members["tst"]?.number == 1_795_246_294, "a receiver without dates is believed to have measured just now")
  }

  @Test func `a reduced fix has its quarter hour, its position and its radius, and no other field`() throws {
    var fix = try full()
    fix.accuracy = .reduced
    let members = try Rules.location.members(of: payload(fix, created: Self.later))
    #expect(Set(members.keys) == ["_type", "tid", "t", "tst", "lat", "lon", "acc"])
  }

  @Test(arguments: [(true, "u"), (false, "r")])
  func `the trigger of a fix has the name that the apps use`(isByPress: Bool, letter: String) throws {
    #expect(try Rules.location.members(of: payload(full(), isByPress: isByPress))["t"]?.string == letter)
  }

  @Test func `a radius is rounded up by at most a metre`() throws {
    for step in 0..<4000 {
      var fix = try full()
      fix.horizontalAccuracy = Double(step) * 0.013
      let told = try #require(try Rules.location.members(of: payload(fix))["acc"]?.number)
      #expect(told >= Double(step) * 0.013 && told < Double(step) * 0.013 + 1)
    }
  }

  @Test func `a transition has the name of the region, and no position`() throws {
    for (isEntry, event) in [(true, "enter"), (false, "leave")] {
      let crossing = RegionCrossing(
        region: "harbour", text: "The \"old\" harbour", radius: 150.2, isEntry: isEntry, time: Self.later,
        registered: Self.time)
      let (topic, text) = ownTracks.transition(crossing)
      #expect(topic == "owntracks/boat-b-7/ferry/event")
      let members = try Rules.transition.members(of: text)
      #expect(members["event"]?.string == event && members["rid"]?.string == "harbour")
      #expect(members["desc"]?.string == "The \"old\" harbour" && members["t"]?.string == "c")
      #expect(members["wtst"]?.number == 1_795_246_294 && members["tst"]?.number == 1_795_246_296)
      #expect(members["acc"]?.number == 151, "the circle that the app itself registered")
      #expect(members["lat"] == .null && members["lon"] == .null, "Home Assistant reads both")
    }
  }

  @Test func `a will contains the time of the connection`() throws {
    let (topic, text) = ownTracks.will(connected: Self.time)
    #expect(topic == "owntracks/boat-b-7/ferry")
    let members = try Rules.lwt.members(of: text)
    #expect(members["_type"]?.string == "lwt" && members["tst"]?.number == 1_795_246_294)
  }
}
