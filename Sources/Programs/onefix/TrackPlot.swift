import Base
import GNSS
import Glibc

/// An SVG picture of a receiver's track, before and after a position filter. The picture contains no scripts and no
/// links to other files.
struct TrackPlot {
  struct Point: Hashable {
    var coordinate: Coordinate
    /// The radius of the circle that shows the accuracy, in metres; nil if the accuracy is unknown.
    var radius: Double?
    var isCoasted = false
  }

  let title: String
  var raw: [Point] = []
  var smoothed: [Point] = []
  var truth: [Point] = []

  init(title: String) { self.title = title }

  private static let (side, margin, head) = (960.0, 24.0, 64.0)
  private static let (rawColour, smoothColour, truthColour) = ("#d0632b", "#1b62c4", "#3c9a4e")
  /// The approximate count of circles in the picture. More circles would overlap.
  private static let mostCircles = 80

  var svg: String {
    let frame = Frame(holding: raw + smoothed + truth, side: Self.side)
    let (width, height) = (frame.width + 2 * Self.margin, frame.height + 2 * Self.margin + Self.head)
    let shift = "transform=\"translate(\(shown(Self.margin)) \(shown(Self.margin + Self.head)))\""
    // The circles can be larger than the picture, so they are below the title and the legend.
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(shown(width)) \(shown(height))" \
      font-family="sans-serif" font-size="14">
      <title>\(Markup.escaped(title))</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      <g \(shift) fill="\(Self.smoothColour)" fill-opacity="0.12">\(circles(in: frame))</g>
      <text x="\(shown(Self.margin))" y="26" font-size="18">\(Markup.escaped(title))</text>
      \(legend)
      <g \(shift) fill="none" stroke-linejoin="round" stroke-linecap="round">

      """
    // Each line is thinner than the line below it, so that all lines are visible where they coincide.
    text += lines(truth, in: frame, "stroke=\"\(Self.truthColour)\" stroke-width=\"8\" stroke-opacity=\"0.5\"")
    text += lines(raw, in: frame, "stroke=\"\(Self.rawColour)\" stroke-width=\"4\" stroke-opacity=\"0.7\"")
    text += lines(smoothed, in: frame, "stroke=\"\(Self.smoothColour)\" stroke-width=\"1.6\"")
    text += mark("start", smoothed.first ?? raw.first, in: frame, fill: "#ffffff", above: true)
    text += mark("end", smoothed.last ?? raw.last, in: frame, fill: Self.smoothColour, above: false)
    return text + "\(scaleBar(of: frame))\n</g>\n</svg>\n"
  }

  /// Returns an SVG dot for the start or the end of the track, with a name. The name is above or below the dot, so that
  /// both names are readable if the two dots coincide.
  private func mark(_ name: String, _ point: Point?, in frame: Frame, fill: String, above: Bool) -> String {
    guard let point else { return "" }
    let position = frame.position(of: point.coordinate)
    let (x, y) = (shown(position.x), shown(position.y))
    // At the right edge, the name stands to the left of the dot.
    let isAtEdge = position.x > frame.width - 40
    return """
      <circle cx="\(x)" cy="\(y)" r="6" fill="\(fill)" stroke="\(Self.smoothColour)" stroke-width="2"/>\
      <text x="\(shown(position.x + (isAtEdge ? -10 : 10)))" y="\(shown(position.y + (above ? -8 : 18)))" \
      text-anchor="\(isAtEdge ? "end" : "start")" fill="#222222" stroke="none">\(name)</text>

      """
  }

  private func circles(in frame: Frame) -> String {
    let step = max(1, smoothed.count / Self.mostCircles)
    return stride(from: 0, to: smoothed.count, by: step).compactMap { index -> String? in
      guard let radius = smoothed[index].radius else { return nil }
      let position = frame.position(of: smoothed[index].coordinate)
      let size = min(radius * frame.scale, 2 * Self.side)
      return "<circle cx=\"\(shown(position.x))\" cy=\"\(shown(position.y))\" r=\"\(shown(size))\"/>"
    }.joined()
  }

  /// Returns SVG polylines for a track. A dashed polyline shows positions that the filter predicted (coasted) while the
  /// receiver had no fix.
  private func lines(_ points: [Point], in frame: Frame, _ style: String) -> String {
    var text = ""
    var start = 0
    while start < points.count {
      let isCoasted = points[start].isCoasted
      let end = points[start...].firstIndex { $0.isCoasted != isCoasted } ?? points.count
      // Each run begins at the last point of the previous run, so that the track has no gaps.
      let run = points[max(0, start - 1)..<end]
      let dashes = isCoasted ? " stroke-dasharray=\"4 5\"" : ""
      text += "<polyline \(style)\(dashes) points=\"\(vertices(of: run, in: frame))\"/>\n"
      start = end
    }
    return text
  }

  /// Returns the points of an SVG polyline. A point closer than 0.3 SVG units to the previous point is left out.
  private func vertices(of points: ArraySlice<Point>, in frame: Frame) -> String {
    var last: (x: Double, y: Double)?
    var shownPositions: [String] = []
    for (index, point) in zip(points.indices, points) {
      let position = frame.position(of: point.coordinate)
      if let last, index != points.endIndex - 1, hypot(position.x - last.x, position.y - last.y) < 0.3 { continue }
      shownPositions.append("\(shown(position.x)),\(shown(position.y))")
      last = position
    }
    return shownPositions.joined(separator: " ")
  }

  private var legend: String {
    var entries = [("receiver", Self.rawColour), ("filter, with the radius of 68 %", Self.smoothColour)]
    if !truth.isEmpty { entries.append(("truth", Self.truthColour)) }
    var x = Self.margin
    return entries.map { name, colour in
      defer { x += 60 + 7.5 * Double(name.count) }
      return "<path d=\"M\(shown(x)) 48h24\" stroke=\"\(colour)\" stroke-width=\"4\"/>"
        + "<text x=\"\(shown(x + 32))\" y=\"53\">\(name)</text>"
    }.joined()
  }

  private func scaleBar(of frame: Frame) -> String {
    let metres = frame.scaleBar
    let (length, y) = (metres * frame.scale, frame.height + 8)
    let name = metres < 1000 ? "\(shown(metres)) m" : "\(shown(metres / 1000)) km"
    return "<path d=\"M0 \(shown(y - 6))v6h\(shown(length))v-6\" stroke=\"#222222\" stroke-width=\"1.5\"/>"
      + "<text x=\"\(shown(length + 8))\" y=\"\(shown(y + 4))\" fill=\"#222222\" stroke=\"none\">\(name)</text>"
  }
}

/// The projection of geographic coordinates onto the picture. North is up. At the middle latitude of the track, the
/// scale is the same in all directions.
private struct Frame {
  private static let metresPerDegree = 111_195.0
  /// The minimum width and height of the area in the picture, in metres.
  private static let least = 20.0

  /// The scale of the picture, in SVG units per metre.
  let scale: Double
  let width: Double
  let height: Double
  private let west: Double
  private let north: Double
  private let parallel: Double

  init(holding points: [TrackPlot.Point], side: Double) {
    let first = points.first?.coordinate.longitude ?? 0
    let latitudes = points.map(\.coordinate.latitude)
    // All longitudes are relative to the first longitude of the track, so that a track can cross the antimeridian.
    let turns = points.map { ($0.coordinate.longitude - first).remainder(dividingBy: 360) }
    let (south, top) = (latitudes.min() ?? 0, latitudes.max() ?? 0)
    let (left, right) = (turns.min() ?? 0, turns.max() ?? 0)
    parallel = max(0.01, cos((south + top) / 2 * .pi / 180))
    let across = max(Self.least, (right - left) * parallel * Self.metresPerDegree)
    let along = max(Self.least, (top - south) * Self.metresPerDegree)
    scale = side / max(across, along)
    (width, height) = (across * scale, along * scale)
    west = first + (left + right) / 2 - across / 2 / parallel / Self.metresPerDegree
    north = (south + top) / 2 + along / 2 / Self.metresPerDegree
  }

  func position(of coordinate: Coordinate) -> (x: Double, y: Double) {
    let turn = (coordinate.longitude - west).remainder(dividingBy: 360)
    return (
      turn * parallel * Self.metresPerDegree * scale, (north - coordinate.latitude) * Self.metresPerDegree * scale
    )
  }

  /// The length that the scale bar shows, in metres. The length is 1, 2 or 5 times a power of ten, and at most a
  /// quarter of the picture's width.
  var scaleBar: Double {
    let wanted = width / scale / 4
    let power = pow(10, log10(wanted).rounded(.down))
    return power * (wanted / power >= 5 ? 5 : wanted / power >= 2 ? 2 : 1)
  }
}

private func shown(_ value: Double) -> String {
  let rounded = (value * 10).rounded() / 10
  return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
}
