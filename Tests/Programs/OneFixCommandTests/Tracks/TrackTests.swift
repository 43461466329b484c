import Base
import GNSS
import LineProtocol
import Testing

@testable import onefix

private let home = Coordinate(latitude: 47.376888, longitude: 8.541694)!

/// A fix with all values.
private func whole() -> FixReport {
  var fix = FixReport(coordinate: home, horizontalAccuracy: 2.9, accuracy: .full)
  (fix.time, fix.quality) = (UTCTime(iso8601: "2026-11-21T07:31:34.200Z"), .autonomous)
  (fix.altitude, fix.verticalAccuracy, fix.geoidSeparation) = (408.2, 5.1, 46.9)
  (fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy) = (0.4, 0.3, 211, 9)
  (fix.mode, fix.satellites) = (.threeDimensional, 11)
  fix.dilutionOfPrecision = DilutionOfPrecision(horizontal: 0.7, vertical: 1.5, position: 1.6)
  return fix
}

/// A fix with only a position.
private func bare(quality: FixQuality? = nil, longitude: Double = -0.5) -> FixReport {
  var fix = FixReport(
    coordinate: Coordinate(latitude: 1, longitude: longitude)!, horizontalAccuracy: 3.78, accuracy: .full)
  fix.quality = quality
  return fix
}

/// Returns the track of these fixes. Nil is an interruption.
func text(_ format: TrackFormat, _ fixes: [FixReport?]) -> String {
  var buffer = TextBuffer()
  var writer = format.writer
  writer.begin(&buffer)
  for fix in fixes {
    if let fix { writer.write(fix, to: &buffer) } else { writer.interrupt(&buffer) }
  }
  writer.end(&buffer)
  return buffer.text
}

private let gpxHead = """
  <?xml version="1.0" encoding="UTF-8"?>
  <gpx version="1.1" creator="OneFix" xmlns="http://www.topografix.com/GPX/1/1" xmlns:onefix="urn:onefix:gpx">

  """

/// A fix whose position is not beyond doubt: with the age of its measurement and the signs that the position can be
/// false.
private func doubtful() -> FixReport {
  var fix = whole()
  (fix.measured, fix.age) = (UTCTime(iso8601: "2026-11-21T07:31:33.900Z"), 440)
  (fix.isCoasted, fix.suspicion) = (true, .jump)
  return fix
}

@Test(arguments: TrackFormat.allCases.filter { $0 != .table })
func `each format for files has the age of a fix and the signs that it can be false, if they are known`(
  format: TrackFormat
) {
  let values = ["measured": "2026-11-21T07:31:33.900Z", "age_ms": "440", "coasted": "true", "suspect": "jump"]
  let (found, sound) = (text(format, [doubtful()]), text(format, [whole()]))
  for (name, value) in values {
    #expect(found.contains(name) && found.contains(value), "\(name): \(found)")
    // The header of a table names all columns.
    #expect(!sound.contains(name) || format == .csv, "\(name): \(sound)")
  }
}

@Test func `CSV has a column for each member of the JSON, with the value of this member`() throws {
  let lines = text(.csv, [doubtful()]).split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
  let json = try #require(JSONValue(text(.json, [doubtful()]).utf8))
  let cells = zip(lines[0], lines[1]).map { name, cell in
    (name, Bool(cell).map(JSONValue.bool) ?? Double(cell).map(JSONValue.number) ?? .string(cell))
  }
  #expect(lines.count == 2 && lines[0].count == lines[1].count)
  #expect(JSONValue.object(Dictionary(uniqueKeysWithValues: cells)) == json)
}

@Test(arguments: [
  (TrackFormat.json, ""),
  (
    .csv,
    "time,lat,lon,hacc,alt,vacc,speed,sacc,course,cacc,fix,sats,accuracy,geoid,hdop,pdop,vdop,quality,measured,age_ms,"
      + "coasted,suspect\n"
  ),
  (.gpx, gpxHead + "</gpx>\n"),
  (.geojson, "{\"type\":\"FeatureCollection\",\"features\":[\n]}\n"),
])
func `a track without a fix is a complete document`(format: TrackFormat, expected: String) {
  #expect(text(format, []) == expected && text(format, [nil, nil]) == expected)
}

@Test func `a line of JSON is a fix of the line protocol without an age`() {
  #expect(
    text(.json, [whole(), nil, bare(quality: .simulator)])
      == """
      {"time":"2026-11-21T07:31:34.200Z","lat":47.376888,"lon":8.541694,"hacc":2.9,"alt":408.2,"vacc":5.1,"speed":0.4,\
      "sacc":0.3,"course":211.0,"cacc":9.0,"fix":"3d","sats":11,"accuracy":"full","geoid":46.9,"hdop":0.7,"pdop":1.6,\
      "vdop":1.5,"quality":"autonomous"}
      {"lat":1.0,"lon":-0.5,"hacc":3.78,"accuracy":"full","quality":"simulator"}

      """)
}

@Test func `unknown values are empty in CSV`() {
  #expect(
    text(.csv, [whole(), nil, bare()]).split(separator: "\n").dropFirst() == [
      "2026-11-21T07:31:34.200Z,47.376888,8.541694,2.9,408.2,5.1,0.4,0.3,211.0,9.0,3d,11,full,46.9,0.7,1.6,1.5,"
        + "autonomous,,,,",
      ",1.0,-0.5,3.78,,,,,,,,,full,,,,,,,,,",
    ])
}

@Test func `a table fits a terminal of 80 columns, marks a special quality, and has a row between interrupted tracks`()
{
  var far = bare(quality: .simulator, longitude: -179.5)
  far.time = UTCTime(iso8601: "2026-11-21T07:31:34.200Z")
  let lines = text(.table, [whole(), nil, nil, far]).split(separator: "\n", omittingEmptySubsequences: false)
  #expect(
    lines == [
      "time (UTC)              latitude   longitude  alt m    ± m   m/s   ° fix sats",
      "2026-11-21 07:31:34.2  47.376888    8.541694  408.2    2.9   0.4 211  3d   11", "",
      "2026-11-21 07:31:34.2   1.000000 -179.500000      -    3.8     -   -   -    -  simulator", "",
    ])
  #expect(lines.prefix(2).allSatisfy { Columns.width(of: $0) <= 80 })
}

@Test func `a GPX point has its elements in the order of the schema, and the extensions are its last element`() {
  #expect(
    text(.gpx, [doubtful()])
      == gpxHead + """
        <trk>
        <trkseg>
        <trkpt lat="47.376888" lon="8.541694"><ele>408.2</ele><time>2026-11-21T07:31:34.200Z</time>\
        <geoidheight>46.9</geoidheight><fix>3d</fix><sat>11</sat><hdop>0.7</hdop><vdop>1.5</vdop><pdop>1.6</pdop>\
        <extensions><onefix:measured>2026-11-21T07:31:33.900Z</onefix:measured><onefix:age_ms>440</onefix:age_ms>\
        <onefix:coasted>true</onefix:coasted><onefix:suspect>jump</onefix:suspect></extensions></trkpt>
        </trkseg>
        </trk>
        </gpx>

        """)
}

@Test func `a lost fix ends a GPX segment, once`() {
  let lines = text(.gpx, [nil, bare(), bare(), nil, nil, bare(), nil]).split(separator: "\n")
  #expect(
    lines.map { $0.prefix(8) } == [
      "<?xml ve", "<gpx ver", "<trk>", "<trkseg>", "<trkpt l", "<trkpt l", "</trkseg", "<trkseg>", "<trkpt l",
      "</trkseg", "</trk>", "</gpx>",
    ])
}

@Test func `GPX has the source of a position, no longitude of 180 and no leap second`() {
  for (quality, expected) in [
    (FixQuality.differential, "<fix>dgps</fix>"), (.rtkFixed, "<fix>dgps</fix>"), (.precise, "<fix>pps</fix>"),
    (.simulator, "<src>simulator</src><fix>2d</fix>"), (.manual, "<src>manual</src><fix>2d</fix>"),
    (.estimated, "<src>estimated</src><fix>2d</fix>"), (.autonomous, "<fix>2d</fix>"),
  ] {
    var fix = bare(quality: quality)
    fix.mode = .twoDimensional
    #expect(text(.gpx, [fix]).contains("lon=\"-0.5\">\(expected)</trkpt>"))
  }
  var fix = bare(longitude: 180)
  fix.time = UTCTime(iso8601: "2016-12-31T23:59:60.500Z")
  #expect(text(.gpx, [fix]).contains("lon=\"-180.0\"><time>2016-12-31T23:59:59.999Z</time></trkpt>"))
}

@Test func `GeoJSON has the longitude first, and the height above the ellipsoid if known`() {
  #expect(
    text(.geojson, [whole(), nil, bare()])
      == """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","geometry":{"type":"Point","coordinates":[8.541694,47.376888,455.1]},"properties":{\
      "time":"2026-11-21T07:31:34.200Z","hacc":2.9,"alt":408.2,"vacc":5.1,"speed":0.4,"sacc":0.3,"course":211.0,\
      "cacc":9.0,"fix":"3d","sats":11,"accuracy":"full","geoid":46.9,"hdop":0.7,"pdop":1.6,"vdop":1.5,\
      "quality":"autonomous"}},
      {"type":"Feature","geometry":{"type":"Point","coordinates":[-0.5,1.0]},"properties":{"hacc":3.78,\
      "accuracy":"full"}}
      ]}

      """)
}

@Test func `KML has a placemark for each fix and a line between them`() {
  let expected = """
    <Placemark><TimeStamp><when>2026-11-21T07:31:34.200Z</when></TimeStamp><styleUrl>#fix</styleUrl><ExtendedData>\
    <Data name="hacc"><value>2.9</value></Data><Data name="vacc"><value>5.1</value></Data>\
    <Data name="speed"><value>0.4</value></Data><Data name="course"><value>211.0</value></Data>\
    <Data name="quality"><value>autonomous</value></Data></ExtendedData>\
    <Point><coordinates>8.541694,47.376888,408.2</coordinates></Point></Placemark>
    <Placemark><styleUrl>#fix</styleUrl><ExtendedData><Data name="hacc"><value>3.78</value></Data></ExtendedData>\
    <Point><coordinates>-0.5,1.0</coordinates></Point></Placemark>
    <Placemark><styleUrl>#track</styleUrl><LineString><tessellate>1</tessellate><coordinates>
    8.541694,47.376888,408.2
    -0.5,1.0
    </coordinates></LineString></Placemark>
    </Document>
    </kml>

    """
  let track = text(.kml, [whole(), bare()])
  #expect(track.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml ") && track.hasSuffix(expected))
}

@Test func `a long KML line is continued from its last point, and a single point is no line`() {
  let lines = text(.kml, [FixReport?](repeating: bare(), count: 15_000)).split(separator: "\n")
  #expect(lines.count { $0.contains("<LineString>") } == 2 && lines.count { $0 == "-0.5,1.0" } == 15_001)
  #expect(!text(.kml, [bare(), nil, bare(), nil]).contains("<LineString>"))
}

@Test func `text in XML is escaped`() {
  var buffer = TextBuffer()
  buffer.element("name", "a<b>&\"c\"")
  #expect(buffer.text == "<name>a&lt;b&gt;&amp;&quot;c&quot;</name>")
}
