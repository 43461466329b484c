import GNSS

/// The secret grid of 500 m cells whose centres are the centres of dwell zones.
///
/// A zone around the place itself would have its border tell the place; around the centre of a cell it tells the cell.
struct DwellGrid {
  /// Where rows and columns begin, as a part of a cell, 0..<1.
  private let phase: (column: Double, row: Double)

  static let cellSize = 500.0

  init(key: CloakKey) {
    phase = key.draw(.dwellPhase)
  }

  func cell(of coordinate: Coordinate) -> DwellCell {
    let row = Int32((coordinate.latitude * Sphere.metresPerDegree / Self.cellSize + phase.row).rounded(.down))
    let count = columns(ofWidth: Self.cellSize, atLatitude: latitude(ofRow: row))
    let column = Int32(((coordinate.longitude + 180) / 360 * Double(count) + phase.column).rounded(.down))
    return DwellCell(row: row, column: column % count)
  }

  func centre(of cell: DwellCell) -> Coordinate {
    let latitude = latitude(ofRow: cell.row)
    let count = columns(ofWidth: Self.cellSize, atLatitude: latitude)
    let turns = (Double(cell.column % count) + 0.5 - phase.column) / Double(count)
    // A turn is in -0.5..<1.5 even for the single cell around a pole; brought into 0..<1 it is a longitude in range.
    return Coordinate(latitude: latitude, longitude: (turns - turns.rounded(.down)) * 360 - 180)!
  }

  /// Of the row's middle; the rows at the poles, which the phase cuts, have theirs at the pole at most.
  private func latitude(ofRow row: Int32) -> Double {
    min(90, max(-90, (Double(row) + 0.5 - phase.row) * Self.cellSize / Sphere.metresPerDegree))
  }
}

/// One cell of the dwell grid.
struct DwellCell: Hashable {
  let row: Int32
  let column: Int32

  init(row: Int32, column: Int32) {
    self.row = row
    self.column = column
  }

  /// Nil where no key has such a cell.
  init?(checkingRow row: Int32, column: Int32) {
    let rowsToPole = Int32((90 * Sphere.metresPerDegree / DwellGrid.cellSize).rounded(.up))
    guard (-rowsToPole...rowsToPole).contains(row),
      (0..<columns(ofWidth: DwellGrid.cellSize, atLatitude: 0)).contains(column)
    else { return nil }
    self.init(row: row, column: column)
  }
}

/// Around a place where the device stayed: whatever happens within 2.5 km of the centre, one node is reported.
struct DwellZone: Hashable {
  let cell: DwellCell
  let node: Node

  /// Metres.
  static let radius = 2500.0
  /// Kept at most; the one used least recently gives way.
  static let limit = 32
  /// Two evaluated slots this near to each other, in metres, are a stay.
  static let stay = 200.0
}
