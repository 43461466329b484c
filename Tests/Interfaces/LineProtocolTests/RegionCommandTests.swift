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
  ("REGION_", ["", " FLY", " DEL", " DEL a/b", " ADD", " ADD zoo", " ADD zoo 47.385", " ADD zoo 47.385 8.574"]),
  ("REGION ADD _ 47.385 8.574 150 enter :x", ["zöo", "a23456789012345678901234567890123"]),
  (
    "REGION ADD zoo _ 150 enter :x",
    ["90.1 8.574", "-90.1 8.574", "47.385 180.1", "47,385 8.574", "nan 8.574", "47.38512345678 8.574"]
  ),
  (
    "REGION ADD zoo 47.385 8.574 _ enter :x",
    ["99.9", "100000.1", "-150", "nan", "inf", "1e3", "0x96", "150.", ".5", "+150", "1234567", "0000150"]
  ),
  (
    "REGION ADD zoo 47.385 8.574 150_",
    [
      "", " enter", " enter Lions", " :Lions", " leave :x", " enter, :x", " , :x", " enter :a\u{202E}b",
      " enter :a\u{00A0}b", " enter :" + String(repeating: "x", count: 81),
      " enter :" + String(repeating: "公", count: 41),
    ]
  ),
])
func `an invalid region is refused as a bad argument`(form: String, parts: [String]) {
  for part in parts {
    let rejected = #expect(throws: RejectedLine.self) { try command(form.replacing("_", with: part)) }
    #expect(rejected?.error.code == .badArgument, "\(form), \(part)")
  }
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
