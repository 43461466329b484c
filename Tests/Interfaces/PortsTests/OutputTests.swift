import Base
import GNSS
import LineProtocol
import Ports
import Testing

@Test func `the JSON of a fix for an output begins with its id`() throws {
  let coordinate = try #require(Coordinate(latitude: 47.38, longitude: 8.54))
  let report = FixReport(coordinate: coordinate, horizontalAccuracy: 3, accuracy: .full)
  let fix = PublishedFix(report, id: "a1", isByPress: true, disclosed: UTCTime(nanosecondsSince1970: 0))
  #expect(fix.json == #"{"id":"a1","lat":47.38,"lon":8.54,"hacc":3.0,"accuracy":"full"}"#)
}
