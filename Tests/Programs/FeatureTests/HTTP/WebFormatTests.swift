import Base
import GNSS
import LineProtocol
@testable import Features
import Ports
import Testing

@Suite struct WebFormatTests {
  static let topics = BridgeTopics(gateway: "boat-7", app: "family")

  /// A fix of 2026-11-27 19:00:00.5.
  static func fix(_ accuracy: FixAccuracy = .full) throws -> PublishedFix {
    let coordinate = try #require(Coordinate(latitude: 47.3, longitude: -8.5))
    var report = FixReport(coordinate: coordinate, horizontalAccuracy: 2.5, accuracy: accuracy)
    report.time = UTCTime(nanosecondsSince1970: 1_795_806_000_500_000_000)
    if accuracy == .full {
      report.altitude = 400.5
      report.speed = 10
      report.course = 271.5
      report.dilutionOfPrecision.horizontal = 0.9
    }
    return PublishedFix(
      report, id: "id-1", isByPress: true, disclosed: UTCTime(nanosecondsSince1970: 1_795_806_000_500_000_000))
  }

  private func text(_ format: WebFormat, _ fix: PublishedFix) -> String? {
    format.body(fix, Self.topics).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test
  func `Traccar gets the parameters of OsmAnd, also the age of a fix and the signs that the position can be false`()
    throws
  {
    var fix = try Self.fix()
    let all =
      "id=boat-7_family&lat=47.3&lon=-8.5&timestamp=1795806000&accuracy=2.5&altitude=400.5&speed=19.44"
      + "&bearing=271.5&hdop=0.9"
    #expect(text(.osmand, fix) == all)
    fix.report.time = nil
    #expect(text(.osmand, fix) == all, "the time of the machine")
    // Traccar takes the time of the arrival.
    fix.isClockSet = false
    #expect(text(.osmand, fix) == all.replacing("&timestamp=1795806000", with: ""))
    fix.isClockSet = true
    (fix.report.measured, fix.report.age) = (UTCTime(nanosecondsSince1970: 1_795_806_000_000_000_000), 440)
    (fix.report.isCoasted, fix.report.suspicion) = (true, .spoofing)
    #expect(
      text(.osmand, fix)
        == all + "&measured=2026-11-27T19:00:00.000Z&age_ms=440&coasted=true&suspect=spoofing")
    #expect(
      text(.osmand, try Self.fix(.reduced)) == "id=boat-7_family&lat=47.3&lon=-8.5&timestamp=1795806000&accuracy=2.5")
  }

  @Test func `OwnTracks gets its message of a location, with its topic`() throws {
    #expect(
      text(.owntracks, try Self.fix())
        == #"{"_type":"location","tid":"t7","tst":1795806000,"lat":47.3,"lon":-8.5,"acc":3,"t":"u","alt":401,"vel":36,"cog":272,"topic":"owntracks/boat-7/family"}"#
    )
  }

  @Test func `JSON has the id and the members of the line protocol, and alone the name of a place`() throws {
    let fix = try Self.fix()
    #expect(text(.json, fix) == #"{"id":"id-1","# + fix.report.json.dropFirst())
    let time = UTCTime(nanosecondsSince1970: 0)
    let place = PublishedFix(FixReport(place: "home", time: time), id: "x", isByPress: true, disclosed: time)
    #expect(text(.json, place)?.contains(#""place":"home""#) == true)
    for format in [WebFormat.owntracks, .osmand] {
      #expect(format.hasPositionsOnly && text(format, place) == nil)
    }
  }

  @Test func `the status and the state have neither the path nor the query of an address`() throws {
    let address = try #require(WebAddress("https://m.example.org:8443/api/webhook/SECRET?key=SECRET"))
    let form = address.form(of: .family, as: .json, Self.topics)
    #expect(form.address == "https://m.example.org:8443")
    #expect(form.name == "https://m.example.org:8443 family json")
  }

  @Test func `an address of 2000 bytes is accepted, and one of 2001 is not`() {
    let longest = "https://m.example.org/" + String(repeating: "p", count: 1978)
    #expect(WebAddress(longest) != nil && WebAddress(longest + "p") == nil)
  }

  @Test(
    arguments: [
      ("/other?x=1", "/other?x=1"), ("https://m.example.org/other", "/other"), ("https://m.example.org:443/o", "/o"),
      ("https://M.Example.ORG/o", "/o"), ("HTTPS://m.example.org/o", "/o"), ("hTTps://m.example.org/O?X=Y", "/O?X=Y"),
      ("/o?x=1#f", "/o?x=1"), ("https://m.example.org/o#f#é", "/o"), ("https://m.example.org#f", "/"),
      ("/a:B#", "/a:B"), ("HTTP://m.example.org/", nil), ("https://evil.example.org#@m.example.org/", nil), ("#f", nil),
      ("//evil.example.org/", nil), ("https://evil.example.org/", nil),
      ("http://m.example.org/", nil),
      ("https://m.example.org:8443/", nil), ("other", nil), ("https://m.example.org@evil.example.org/", nil), ("", nil),
    ] as [(String, String?)])
  func `a redirect stays at the same server, whose scheme and host may be in upper case`(
    location: String, target: String?
  ) throws {
    let address = try #require(WebAddress("https://m.example.org/pub"))
    #expect(address.redirected(to: location)?.target == target)
  }

  @Test(arguments: [
    ("120", Duration.seconds(120)), ("0", .zero), ("Thu, 01 Jan 1970 00:02:00 GMT", .seconds(60)),
    ("Thu, 01 Jan 1970 00:00:00 GMT", .zero), ("-1", nil), ("1.5", nil), ("soon", nil), ("", nil),
    ("999999999", .seconds(999_999_999)), ("1000000000", .seconds(1_000_000_000)),
    ("99999999999999999999", .seconds(Int64.max)), ("Thu, 32 Jan 1970 00:02:00 GMT", nil),
    ("Thu, 01 Jan 1970 00:02 GMT", nil),
  ])
  func `the time until the next attempt is a number of seconds or a date`(text: String, pause: Duration?) {
    #expect(RetryAfter(text)?.pause(at: UTCTime(nanosecondsSince1970: 60_000_000_000)) == pause)
  }
}
