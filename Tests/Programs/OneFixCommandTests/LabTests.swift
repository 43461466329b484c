import ArgumentParser
import Base
import GNSS
import Sentences
import TemporaryFiles
import Testing

@testable import onefix

private func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

/// A minute of driving north at 10 m/s (0.0054' a second), with an outlier of 185 m and a dropout.
private let drive: String = (0..<60).reduce(into: "") { log, second in
  let time = "0731\(padded(second)).00"
  guard !(50..<55).contains(second) else {
    log += nmeaSentence("GPRMC,\(time),V,,,,,,,211126,,,N") + nmeaSentence("GPGGA,\(time),,,,,0,,,,,,,,")
    return
  }
  let minutes = 22_613_000 + 5_400 * second + (second == 40 ? 100_000 : 0)
  let latitude = "47\(padded(minutes / 1_000_000)).\(String(1_000_000 + minutes % 1_000_000).dropFirst())"
  log += nmeaSentence("GPRMC,\(time),A,\(latitude),N,00832.50164,E,19.438,0.0,211126,,,A")
  log += nmeaSentence("GPGGA,\(time),\(latitude),N,00832.50164,E,1,11,0.70,408.2,M,46.9,M,,")
}

private struct Row {
  var seconds, latitude, longitude, radius: Double
}

private func smoothed(_ log: String) throws -> [Row] {
  let lines = try output(of: SmoothOutput(), log).split(separator: "\n")
  #expect(lines.first == "utc_unix_s,lat,lon,hacc")
  return try lines.dropFirst().map { line in
    let cells = line.split(separator: ",").compactMap { Double($0) }
    try #require(cells.count == 4)
    return Row(seconds: cells[0], latitude: cells[1], longitude: cells[2], radius: cells[3])
  }
}

@Test func `smooth writes a row for each epoch, without the outlier and through the dropout`() throws {
  let rows = try smoothed(drive)
  let seconds = (0..<60).map { 1_795_246_260 + Double($0) }
  #expect(rows.map(\.seconds) == seconds)
  try #require(rows.count == 60)
  for (second, row) in rows.enumerated() {
    let latitude = 47 + (22.613 + 0.0054 * Double(second)) / 60
    let meters = abs(row.latitude - latitude) * 111_200
    #expect(meters < 8 && row.radius > 0, "\(second)")
  }
  // Full precision, because unchanged positions must equal the receiver's to the last digit.
  #expect(rows[20].latitude == 47 + 22.721 / 60)
}

@Test func `a log without a position is reported`() throws {
  #expect(throws: FileError("decode", "it", .noFix(epochs: 1))) {
    try output(of: SmoothOutput(), nmeaSentence("GPGGA,073135.00,,,,,0,,,,,,,,"))
  }
}

@Test func `plot draws both tracks, the truth, circles and a scale, and no scripts`() throws {
  let folder = try TemporaryDirectory()
  try folder.write(drive, to: "log")
  try folder.write("utc_unix_s,lat,lon\n1,47.3768,8.5417\n2,47.38,8.5417\n3,,\n", to: "truth.csv")
  let names = ["log", "truth.csv", "track.svg"].map(folder.path)
  try LabPlot.parse([names[0], "--truth", names[1], "-o", names[2]]).run()
  let svg = String(decoding: try #require(folder.read("track.svg")), as: UTF8.self)
  #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"") && svg.hasSuffix("</svg>\n"))
  // The receiver, the truth, and the filter in three parts: measured, coasted, measured.
  #expect(svg.split(separator: "<polyline").count - 1 == 5)
  #expect(svg.split(separator: "stroke-dasharray").count - 1 == 1)
  #expect(svg.contains("fill-opacity") && svg.contains(" m</text>"))
  #expect(!svg.contains("<script") && !svg.contains("href") && !svg.contains("nan") && !svg.contains("inf"))
}

/// Positions on the equator, with their distance to the first position in degrees.
private func points(_ degrees: Double..., from start: Double = 0) -> [TrackPlot.Point] {
  degrees.compactMap { degree in
    let longitude = (start + degree).remainder(dividingBy: 360)
    return Coordinate(latitude: 0, longitude: longitude).map { .init(coordinate: $0) }
  }
}

@Test func `a picture has the tracks, the circles, the ends and the scale at their places`() {
  var plot = TrackPlot(title: "walk")
  // A position that is closer than 0.3 units to the previous one is left out.
  plot.raw = points(0, 2e-7, 5e-7, 0.001)
  plot.truth = points(0, 0.001)
  plot.smoothed = points(0, 0.0005, 0.001)
  plot.smoothed[0].radius = 5
  // A circle has at most twice the width of the picture. The circles cover neither the legend nor the tracks.
  plot.smoothed[1].radius = 1000
  plot.smoothed[1].isCoasted = true
  #expect(
    plot.svg == """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1008 284.7" font-family="sans-serif" font-size="14">
      <title>walk</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      <g transform="translate(24 88)" fill="#1b62c4" fill-opacity="0.12"><circle cx="0" cy="86.3" r="43.2"/>\
      <circle cx="480" cy="86.3" r="1920"/></g>
      <text x="24" y="26" font-size="18">walk</text>
      <path d="M24 48h24" stroke="#d0632b" stroke-width="4"/><text x="56" y="53">receiver</text>\
      <path d="M144 48h24" stroke="#1b62c4" stroke-width="4"/>\
      <text x="176" y="53">filter, with the radius of 68 %</text>\
      <path d="M436.5 48h24" stroke="#3c9a4e" stroke-width="4"/><text x="468.5" y="53">truth</text>
      <g transform="translate(24 88)" fill="none" stroke-linejoin="round" stroke-linecap="round">
      <polyline stroke="#3c9a4e" stroke-width="8" stroke-opacity="0.5" points="0,86.3 960,86.3"/>
      <polyline stroke="#d0632b" stroke-width="4" stroke-opacity="0.7" points="0,86.3 0.5,86.3 960,86.3"/>
      <polyline stroke="#1b62c4" stroke-width="1.6" points="0,86.3"/>
      <polyline stroke="#1b62c4" stroke-width="1.6" stroke-dasharray="4 5" points="0,86.3 480,86.3"/>
      <polyline stroke="#1b62c4" stroke-width="1.6" points="480,86.3 960,86.3"/>
      <circle cx="0" cy="86.3" r="6" fill="#ffffff" stroke="#1b62c4" stroke-width="2"/>\
      <text x="10" y="78.3" text-anchor="start" fill="#222222" stroke="none">start</text>
      <circle cx="960" cy="86.3" r="6" fill="#1b62c4" stroke="#1b62c4" stroke-width="2"/>\
      <text x="950" y="104.3" text-anchor="end" fill="#222222" stroke="none">end</text>
      <path d="M0 174.7v6h172.7v-6" stroke="#222222" stroke-width="1.5"/>\
      <text x="180.7" y="184.7" fill="#222222" stroke="none">20 m</text>
      </g>
      </svg>

      """)
}

@Test(arguments: [
  (0.001, "20 m"), (0.035, "500 m"), (0.04, "1 km"), (0.05, "1 km"), (0.1, "2 km"), (0.2, "5 km"),
])
func `the scale is at most a quarter of the width, also across the antimeridian`(degrees: Double, scale: String) {
  for start in [0, 179.9999] {
    var plot = TrackPlot(title: "walk")
    plot.raw = points(0, degrees, from: start)
    #expect(plot.svg.contains(">\(scale)</text>") && plot.svg.contains("points=\"0,") && plot.svg.contains(" 960,"))
  }
}

@Test func `a long track has about 80 circles`() {
  for (count, circles) in [(159, 159), (160, 80)] {
    var point = points(0)[0]
    point.radius = 3
    var plot = TrackPlot(title: "walk")
    plot.smoothed = Array(repeating: point, count: count)
    #expect(plot.svg.ranges(of: "r=\"144\"").count == circles)
  }
}

@Test func `a title is escaped`() {
  var plot = TrackPlot(title: "a<b>&\"c\".nmea")
  #expect(plot.svg.contains("a&lt;b&gt;&amp;&quot;c&quot;.nmea"))
  // A single position on the antimeridian also has a scale.
  plot.raw = [.init(coordinate: Coordinate(latitude: 90, longitude: 180)!)]
  #expect(plot.svg.contains(" m</text>"))
}

@Test func `a table needs its columns, and invalid coordinates are ignored`() {
  #expect(CoordinateTable(text: "a,b\n1,2\n") == nil)
  let table = CoordinateTable(text: "lon,t,lat\n8.5,0,47.4\n8.5,1,x\n8.5,2,91\n8.6,3\n")
  #expect(table?.coordinates.map { [$0.latitude, $0.longitude] } == [[47.4, 8.5]])
}
