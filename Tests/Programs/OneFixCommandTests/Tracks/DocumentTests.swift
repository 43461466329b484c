import Base
import Foundation
import GNSS
import LineProtocol
import Testing

@testable import onefix

/// An element of an XML document.
private final class Element {
  let name: String
  let attributes: [String: String]
  var children: [Element] = []
  var text = ""

  init(_ name: String, _ attributes: [String: String]) {
    self.name = name
    self.attributes = attributes
  }
}

/// Parses elements, attributes in double quotes and text. The documents contain no other syntax.
private func parse(_ document: String) throws -> Element {
  let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  try #require(document.hasPrefix(head))
  var open = [Element("", [:])]
  for part in document.dropFirst(head.count).split(separator: "<", omittingEmptySubsequences: true) {
    let pieces = part.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
    try #require(pieces.count == 2)
    if pieces[0].hasPrefix("/") {
      let closed = open.removeLast()
      try #require(!open.isEmpty && closed.name == pieces[0].dropFirst())
      try #require(pieces[1].trimmingCharacters(in: .whitespacesAndNewlines).isEmpty)
      continue
    }
    let words = pieces[0].split(separator: " ")
    var attributes: [String: String] = [:]
    for word in words.dropFirst() {
      let sides = word.split(separator: "=", maxSplits: 1)
      try #require(sides.count == 2 && sides[1].count >= 2 && sides[1].first == "\"" && sides[1].last == "\"")
      attributes[String(sides[0])] = String(sides[1].dropFirst().dropLast())
    }
    let element = Element(String(words[0]), attributes)
    element.text = String(pieces[1])
    open.last?.children.append(element)
    open.append(element)
  }
  try #require(open.count == 1 && open[0].children.count == 1)
  return open[0].children[0]
}

/// The children of elements in the order of the schemas; `+` means one or more.
private let schemas: [TrackFormat: [String: [String]]] = [
  // topografix.com/GPX/1/1/gpx.xsd: gpxType, trkType, trksegType, wptType
  .gpx: [
    "gpx": ["metadata", "wpt+", "rte+", "trk+", "extensions"],
    "trk": ["name", "cmt", "desc", "src", "link+", "number", "type", "extensions", "trkseg+"],
    "trkseg": ["trkpt+", "extensions"],
    "trkpt": [
      "ele", "time", "magvar", "geoidheight", "name", "cmt", "desc", "src", "link+", "sym", "type", "fix", "sat",
      "hdop", "vdop", "pdop", "ageofdgpsdata", "dgpsid", "extensions",
    ],
    "extensions": ["onefix:measured", "onefix:age_ms", "onefix:coasted", "onefix:suspect"],
  ],
  // OGC 07-147r2: the common elements of features, then the elements of each type
  .kml: [
    "kml": ["Document"],
    "Document": ["name", "description", "Style+", "Placemark+"],
    "Style": ["IconStyle", "LabelStyle", "LineStyle", "PolyStyle"],
    "IconStyle": ["color", "colorMode", "scale", "heading", "Icon", "hotSpot"],
    "LineStyle": ["color", "colorMode", "width"],
    "Placemark": [
      "name", "visibility", "description", "TimeStamp", "styleUrl", "ExtendedData", "Point", "LineString",
    ],
    "TimeStamp": ["when"],
    "ExtendedData": ["Data+"],
    "Data": ["displayName", "value"],
    "Point": ["extrude", "altitudeMode", "coordinates"],
    "LineString": ["extrude", "tessellate", "altitudeMode", "coordinates"],
  ],
]

private func check(_ element: Element, against schema: [String: [String]]) {
  let allowed = schema[element.name] ?? []
  var index = 0
  var seen: Set<String> = []
  for child in element.children {
    let found = allowed.indices.dropFirst(index).first { allowed[$0] == child.name || allowed[$0] == child.name + "+" }
    guard let found else {
      Issue.record("<\(child.name)> is not where it may be in <\(element.name)>")
      return
    }
    #expect(allowed[found].hasSuffix("+") || seen.insert(child.name).inserted, "<\(child.name)> is there twice")
    index = found
    check(child, against: schema)
  }
}

/// Fixes with all combinations of known and unknown values.
private let fixes: [FixReport?] = (0..<256).flatMap { bits -> [FixReport?] in
  func known<Value>(_ bit: Int, _ value: Value) -> Value? { bits >> bit & 1 == 0 ? nil : value }
  var fix = FixReport(
    coordinate: Coordinate(latitude: Double(bits) / 3 - 40, longitude: 179.9 - Double(bits))!,
    horizontalAccuracy: 2.9, accuracy: .full)
  fix.time = known(0, UTCTime(iso8601: "2026-11-21T07:31:34.200Z")!)
  (fix.altitude, fix.verticalAccuracy, fix.geoidSeparation) = (known(1, -8.25), known(1, 5.1), known(2, 46.9))
  (fix.mode, fix.satellites) = (known(3, .threeDimensional), known(4, 11))
  fix.dilutionOfPrecision = DilutionOfPrecision(
    horizontal: known(5, 0.7), vertical: known(1, 1.5), position: known(6, 2))
  (fix.speed, fix.course) = (known(6, 0.4), known(5, 211))
  (fix.age, fix.suspicion) = (known(3, 440), known(4, .jump))
  fix.quality = known(7, [.autonomous, .differential, .estimated, .manual, .precise, .simulator][bits % 6])
  return bits % 40 == 39 ? [fix, nil] : [fix]
}

private func document(_ format: TrackFormat) -> String { text(format, fixes) }

@Test func `GPX has the elements of its schema in order, and every point`() throws {
  let root = try parse(document(.gpx))
  let namespaces = ["xmlns": "http://www.topografix.com/GPX/1/1", "xmlns:onefix": "urn:onefix:gpx"]
  #expect(root.attributes == namespaces.merging(["version": "1.1", "creator": "OneFix"]) { $1 })
  check(root, against: schemas[.gpx]!)
  let points = root.children.flatMap(\.children).flatMap(\.children)
  #expect(points.count == 256)
  for point in points {
    #expect(Set(point.attributes.keys) == ["lat", "lon"])
    #expect((-90...90).contains(Double(point.attributes["lat"] ?? "") ?? .nan))
    #expect((-180..<180).contains(Double(point.attributes["lon"] ?? "") ?? .nan))
    for child in point.children {
      switch child.name {
      case "fix": #expect(["none", "2d", "3d", "dgps", "pps"].contains(child.text))
      case "sat": #expect(UInt(child.text) != nil)
      case "time": #expect(UTCTime(iso8601: child.text) != nil)
      case "src": #expect(!child.text.isEmpty)
      case "extensions": #expect(!child.children.isEmpty)
      default: #expect(Double(child.text) != nil, "<\(child.name)>")
      }
    }
  }
}

@Test func `KML has the elements of its schema in order, and every point`() throws {
  let root = try parse(document(.kml))
  #expect(root.attributes == ["xmlns": "http://www.opengis.net/kml/2.2"])
  check(root, against: schemas[.kml]!)
  let styles = Set(root.children.flatMap(\.children).compactMap { $0.attributes["id"] })
  let marks = root.children.flatMap(\.children).filter { $0.name == "Placemark" }
  var points = 0
  for mark in marks {
    let style = mark.children.first { $0.name == "styleUrl" }
    #expect(styles.contains(String(style?.text.dropFirst() ?? "")))
    for geometry in mark.children where ["Point", "LineString"].contains(geometry.name) {
      let tuples = geometry.children.last?.text.split(whereSeparator: \.isWhitespace) ?? []
      #expect(geometry.name == "Point" ? tuples.count == 1 : tuples.count >= 2)
      if geometry.name == "Point" { points += 1 }
      for tuple in tuples {
        let numbers = tuple.split(separator: ",").map { Double($0) ?? .nan }
        #expect((2...3).contains(numbers.count) && numbers.allSatisfy(\.isFinite))
        #expect(abs(numbers[0]) <= 180 && abs(numbers[1]) <= 90)
      }
    }
  }
  #expect(points == 256)
}

@Test func `GeoJSON has the members that RFC 7946 requires, and every point`() throws {
  let root = try #require(try JSONSerialization.jsonObject(with: Data(document(.geojson).utf8)) as? [String: Any])
  #expect(Set(root.keys) == ["type", "features"] && root["type"] as? String == "FeatureCollection")
  let features = try #require(root["features"] as? [[String: Any]])
  #expect(features.count == 256)
  for feature in features {
    #expect(Set(feature.keys) == ["type", "geometry", "properties"] && feature["type"] as? String == "Feature")
    #expect(feature["properties"] is [String: Any])
    let geometry = try #require(feature["geometry"] as? [String: Any])
    let coordinates = try #require(geometry["coordinates"] as? [Double])
    #expect(geometry["type"] as? String == "Point" && (2...3).contains(coordinates.count))
    #expect(abs(coordinates[0]) <= 180 && abs(coordinates[1]) <= 90)
  }
}
