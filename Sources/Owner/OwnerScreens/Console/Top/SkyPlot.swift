import Glibc

/// A plot of the sky as a circle: north at the top, the zenith at the centre, the horizon at the edge. A character is
/// about twice as high as wide, so the circle has twice as many columns as rows.
struct SkyPlot {
  /// The radius of the circle, the horizon, in rows.
  let radius: Int

  var columns: Int { 4 * radius + 1 }

  private var showsNumbers: Bool { radius >= 6 }

  func draw(_ satellites: [Overview.Satellite], into frame: inout Frame, row: Int, column: Int, _ ornaments: Ornaments)
  {
    for elevation in showsNumbers ? [0, 45] : [0] {
      for step in 0..<16 * radius {
        let azimuth = 360 * Double(step) / Double(16 * radius)
        let (y, x) = position(elevation: Double(elevation), azimuth: azimuth)
        frame.put(ornaments.ring, row: row + y, column: column + x)
      }
    }
    for (name, azimuth) in [("N", 0.0), ("E", 90), ("S", 180), ("W", 270)] {
      let (y, x) = position(elevation: 0, azimuth: azimuth)
      frame.put(name, row: row + y, column: column + x, style: .bold)
    }
    frame.put("+", row: row + radius, column: column + 2 * radius)
    // Used satellites and strong satellites are drawn last, so that they cover the other satellites.
    let order = satellites.sorted { ($0.isUsed ? 1 : 0, $0.strength ?? -1) < ($1.isUsed ? 1 : 0, $1.strength ?? -1) }
    for satellite in order {
      guard let elevation = satellite.elevation, let azimuth = satellite.azimuth, (0...90).contains(elevation) else {
        continue
      }
      let (y, x) = position(elevation: Double(elevation), azimuth: Double(azimuth))
      let text = showsNumbers ? satellite.name : String(satellite.letter)
      let start = max(0, min(x - (text.count - 1) / 2, columns - text.count))
      frame.put(text, row: row + y, column: column + start, style: satellite.style)
    }
  }

  private func position(elevation: Double, azimuth: Double) -> (row: Int, column: Int) {
    let distance = (90 - elevation) / 90 * Double(radius)
    let angle = azimuth * .pi / 180
    return (
      radius - Int((distance * cos(angle)).rounded()), 2 * radius + Int((2 * distance * sin(angle)).rounded())
    )
  }
}

extension Overview.Satellite {
  /// The letter of the satellite's constellation. The letter is upper case if the receiver uses the satellite, because
  /// some terminals have no colours.
  var letter: Character { isUsed ? system : system.lowercased().first ?? system }

  /// The name of the satellite, as in `G05` and `s123`.
  var name: String {
    let digits = String(number % 1000)
    return "\(letter)\(digits.count == 1 ? "0" : "")\(digits)"
  }

  var style: Style { isUsed ? Style(isBold: true, colour: .green) : .plain }
}

/// A table of the satellites. Each satellite has a bar for its signal strength.
struct SignalTable {
  let rows: Int
  let columns: Int

  /// The signal strength at which a bar is full, in dB-Hz.
  private static let strongest = 50
  private static let leastWidth = 15
  private static let mostWidth = 30

  func draw(_ satellites: [Overview.Satellite], into frame: inout Frame, row: Int, column: Int, _ ornaments: Ornaments)
  {
    guard rows > 0, columns >= 8 else { return }
    let count = max(1, columns / Self.leastWidth)
    let width = min(Self.mostWidth, columns / count)
    let capacity = rows * count
    // If the table is too small, the table contains the used satellites first. The order does not depend on the signal
    // strength, so that the display changes little from second to second.
    let chosen =
      satellites.count <= capacity ? satellites : satellites.filter(\.isUsed) + satellites.filter { !$0.isUsed }
    let shown = chosen.prefix(satellites.count <= capacity ? capacity : capacity - 1)
      .sorted { ($0.system, $0.number) < ($1.system, $1.number) }
    for (index, satellite) in shown.enumerated() {
      draw(satellite, into: &frame, row + index % rows, column + index / rows * width, width, ornaments)
    }
    if shown.count < satellites.count {
      frame.put("+\(satellites.count - shown.count)", row: row + rows - 1, column: column + (count - 1) * width)
    }
  }

  private func draw(
    _ satellite: Overview.Satellite, into frame: inout Frame, _ row: Int, _ column: Int, _ width: Int,
    _ ornaments: Ornaments
  ) {
    frame.put(satellite.name, row: row, column: column, style: satellite.style)
    // The width of the bar. The other 10 columns contain the name, two digits, and the spaces.
    let room = max(0, width - 10)
    // The table has room for two digits, but the gateway can send any number.
    guard let strength = satellite.strength.map({ min(max(0, $0), 99) }) else {
      frame.put("--", row: row, column: column + 6 + room)
      return
    }
    let length = min(room, (strength * room + Self.strongest / 2) / Self.strongest)
    frame.put(
      String(repeating: satellite.isUsed ? ornaments.used : ornaments.unused, count: length), row: row,
      column: column + 5, style: satellite.isUsed ? Style(colour: .green) : .plain)
    frame.put("\(strength < 10 ? " " : "")\(strength)", row: row, column: column + 6 + room)
  }
}
