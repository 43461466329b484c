import Glibc

/// A plot of the satellites in the sky: north is at the top, the zenith in the centre, and the horizon at the edge. The
/// plot has twice as many columns as rows, because a character is about twice as high as wide.
struct SkyPlot {
  /// The distance from the centre of the plot to its edge (the horizon), in rows.
  let radius: Int

  var columns: Int { 4 * radius + 1 }

  private var showsNumbers: Bool { radius >= 6 }

  /// Draws the plot at the left edge of the frame.
  /// - Parameter row: The first row of the plot.
  func draw(_ satellites: [Overview.Satellite], into frame: inout Frame, row: Int, _ ornaments: Ornaments) {
    for elevation in showsNumbers ? [0, 45] : [0] {
      for step in 0..<16 * radius {
        let azimuth = 360 * Double(step) / Double(16 * radius)
        let (y, x) = position(elevation: Double(elevation), azimuth: azimuth)
        frame.put(ornaments.ring, row: row + y, column: x)
      }
    }
    var taken: Set<Int> = []
    // The other directions have degrees, because E and S are also the letters of Galileo and of SBAS.
    for (name, azimuth) in [("N", 0.0), ("90", 90), ("180", 180), ("270", 270)] {
      let (y, x) = position(elevation: 0, azimuth: azimuth)
      let start = start(of: name, x)
      frame.put(name, row: row + y, column: start, style: .bold)
      taken.formUnion(cells(of: name, y, start))
    }
    frame.put("+", row: row + radius, column: 2 * radius)
    // Used satellites and strong satellites are placed first, so that they keep their places.
    for satellite in satellites.sorted(by: { $0.rank > $1.rank }) {
      guard let (text, y, start) = place(satellite, besides: taken) else { continue }
      frame.put(text, row: row + y, column: start, style: satellite.style)
      taken.formUnion(cells(of: text, y, start))
    }
  }

  /// The offsets (rows, columns) at which a label is tried, in order, if its own position is not free.
  private static let shifts = [
    (0, 0), (0, -2), (0, 2), (-1, 0), (1, 0), (-1, -2), (-1, 2), (1, -2), (1, 2), (0, -4), (0, 4),
  ]

  /// Returns the label of a satellite and a free position for the label; nil if there is no free position. The label is
  /// the name of the satellite, or only the letter of its constellation if there is no room for the name.
  private func place(
    _ satellite: Overview.Satellite, besides taken: Set<Int>
  ) -> (text: String, row: Int, column: Int)? {
    guard let elevation = satellite.elevation, let azimuth = satellite.azimuth, (0...90).contains(elevation) else {
      return nil
    }
    let (y, x) = position(elevation: Double(elevation), azimuth: Double(azimuth))
    for text in (showsNumbers ? [satellite.name] : []) + [String(satellite.letter)] {
      for (down, right) in Self.shifts where (0...2 * radius).contains(y + down) {
        let start = start(of: text, x + right)
        // Names have a space between them.
        let neighbours = text.count > 1 ? [start - 1, start + text.count] : []
        let isFree = taken.isDisjoint(
          with: cells(of: text, y + down, start).union(neighbours.map { (y + down) * columns + $0 }))
        if isFree { return (text, y + down, start) }
      }
    }
    return nil
  }

  /// Returns the first column of a text that is centred at a column, but stays inside the plot.
  private func start(of text: String, _ middle: Int) -> Int {
    max(0, min(middle - (text.count - 1) / 2, columns - text.count))
  }

  private func cells(of text: String, _ row: Int, _ start: Int) -> Set<Int> {
    Set((start..<start + text.count).map { row * columns + $0 })
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
  /// The letter of the constellation, as in `G` for GPS. The letter is upper case if the receiver uses the satellite,
  /// because some terminals have no colours.
  var letter: Character { isUsed ? system : system.lowercased().first ?? system }

  /// The name of the satellite: the letter and the number, as in `G05` and `s123`.
  var name: String {
    let digits = String(number % 1000)
    return "\(letter)\(digits.count == 1 ? "0" : "")\(digits)"
  }

  /// The style of the satellite's text: the colour of its constellation, and bold if the receiver uses the satellite.
  var style: Style { Style(isBold: isUsed, colour: colour) }

  var colour: Style.Colour? {
    switch system {
    case "G": .green
    case "R": .red
    case "E": .cyan
    case "C": .yellow
    case "J": .magenta
    case "I": .blue
    default: nil
    }
  }

  /// The sort key of the satellite. Used satellites have the greatest values, and then satellites with a strong signal.
  var rank: Int { (isUsed ? 1000 : 0) + (strength ?? -1) }
}

/// A table of the satellites, with a bar for the strength of each signal.
struct SignalTable {
  let rows: Int
  let columns: Int

  /// The signal strength (carrier-to-noise density) at which the bar is full, in dB-Hz.
  private static let strongest = 50
  private static let leastWidth = 15
  private static let mostWidth = 30
  private static let heading = "C/N0 (dB-Hz)"

  func draw(_ satellites: [Overview.Satellite], into frame: inout Frame, row: Int, column: Int, _ ornaments: Ornaments)
  {
    guard rows > 0, columns >= 8 else { return }
    if rows > 4, columns >= Self.heading.count {
      frame.put(Self.heading, row: row, column: column, style: .bold)
      return Self(rows: rows - 1, columns: columns).drawRows(satellites, into: &frame, row + 1, column, ornaments)
    }
    drawRows(satellites, into: &frame, row, column, ornaments)
  }

  private func drawRows(
    _ satellites: [Overview.Satellite], into frame: inout Frame, _ row: Int, _ column: Int, _ ornaments: Ornaments
  ) {
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
      column: column + 5, style: Style(colour: satellite.colour))
    frame.put("\(strength < 10 ? " " : "")\(strength)", row: row, column: column + 6 + room)
  }
}
