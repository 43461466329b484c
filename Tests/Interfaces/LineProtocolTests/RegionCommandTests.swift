import GNSS
import LineProtocol
import Testing

private func command(_ line: String) throws -> Command { try TaggedCommand(parsing: line).command }

private let zoo = Coordinate(latitude: 47.385, longitude: 8.574)!

@Test(arguments: [
  (
    "REGION ADD zoo 47.385 8.574 150 enter,exit :Lions: ahead, maybe", 150.0, [Region.Events.enter, .exit],
    "Lions: ahead, maybe"
  ),
  ("region add zoo 47.385000 8.574 150.5 EXIT :", 150.5, [.exit], ""),
  ("REGION  ADD zoo  047.385 8.5740000000 100 exit,enter  : two spaces ", 100, [.enter, .exit], " two spaces "),
  ("REGION ADD zoo 47.385 8.574 100000 enter :动物园", 100_000, [.enter], "动物园"),
])
func `a region is read as it is written`(line: String, radius: Double, events: [Region.Events], text: String) throws {
  let region = try Region(id: "zoo", centre: zoo, radius: radius, events: Region.Events(events), text: text)
  #expect(try command(line) == .region(.add(region)))
}

@Test(arguments: [
  "REGION", "REGION FLY", "REGION DEL", "REGION DEL a/b", "REGION ADD", "REGION ADD zoo", "REGION ADD zoo 47.385",
  "REGION ADD zoo 47.385 8.574", "REGION ADD zoo 47.385 8.574 150", "REGION ADD zoo 47.385 8.574 150 enter",
  "REGION ADD zoo 47.385 8.574 150 enter Lions", "REGION ADD zoo 47.385 8.574 150 :Lions",
  "REGION ADD zoo 47.385 8.574 99.9 enter :x", "REGION ADD zoo 47.385 8.574 100000.1 enter :x",
  "REGION ADD zoo 47.385 8.574 -150 enter :x", "REGION ADD zoo 47.385 8.574 nan enter :x",
  "REGION ADD zoo 47.385 8.574 inf enter :x", "REGION ADD zoo 47.385 8.574 1e3 enter :x",
  "REGION ADD zoo 47.385 8.574 0x96 enter :x", "REGION ADD zoo 47.385 8.574 150. enter :x",
  "REGION ADD zoo 47.385 8.574 .5 enter :x", "REGION ADD zoo 47.385 8.574 +150 enter :x",
  "REGION ADD zoo 47.385 8.574 1234567 enter :x", "REGION ADD zoo 47.385 8.574 0000150 enter :x",
  "REGION ADD zoo 90.1 8.574 150 enter :x",
  "REGION ADD zoo -90.1 8.574 150 enter :x", "REGION ADD zoo 47.385 180.1 150 enter :x",
  "REGION ADD zoo 47,385 8.574 150 enter :x", "REGION ADD zoo nan 8.574 150 enter :x",
  "REGION ADD zoo 47.38512345678 8.574 150 enter :x", "REGION ADD zoo 47.385 8.574 150 leave :x",
  "REGION ADD zoo 47.385 8.574 150 enter, :x", "REGION ADD zoo 47.385 8.574 150 , :x",
  "REGION ADD zöo 47.385 8.574 150 enter :x", "REGION ADD a23456789012345678901234567890123 0 0 150 enter :x",
  "REGION ADD zoo 47.385 8.574 150 enter :a\u{202E}b", "REGION ADD zoo 47.385 8.574 150 enter :a\u{00A0}b",
  "REGION ADD zoo 47.385 8.574 150 enter :" + String(repeating: "x", count: 81),
  "REGION ADD zoo 47.385 8.574 150 enter :" + String(repeating: "公", count: 41),
])
func `an invalid region is refused as a bad argument`(line: String) {
  #expect { try command(line) } throws: { ($0 as? RejectedLine)?.error.code == .badArgument }
}

@Test func `a region is listed as its app gave it`() throws {
  let region = try Region(id: "zoo", centre: zoo, radius: 150, events: [.enter, .exit], text: "\"Lions\"")
  #expect(
    region.json
      == #"{"id":"zoo","lat":47.385,"lon":8.574,"radius":150.0,"events":"enter,exit","text":"\"Lions\""}"#)
}

@Test(arguments: [
  ("region/zoo", true), ("region/+", true), ("region/#", true), ("#", true), ("+/+", true), ("+/zoo", true),
  ("+/#", true),
  ("region/zoo/#", true), ("region", false), ("region/zoo/lions", false), ("region/zöo", false), ("regions", false),
  ("owner/+", false), ("+", false), ("region/+/x", false),
])
func `filters that can match a region's topic are known`(filter: String, matches: Bool) throws {
  #expect(try TopicFilter(filter).matchesSomeRegion == matches)
}

@Test(arguments: [0, 4, 5] as [UInt8])
func `a region without an event, or with an unknown event, is refused`(bits: UInt8) {
  #expect {
    try Region(id: "zoo", centre: zoo, radius: 150, events: Region.Events(rawValue: bits), text: "")
  } throws: {
    ($0 as? LineError)?.code == .badArgument
  }
}
