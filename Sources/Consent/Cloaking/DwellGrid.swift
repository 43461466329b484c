import GNSS

/// A secret grid of cells of 500 m. The zone around a place at which the device stays has its centre at the centre of a
/// cell. So the border of a zone does not reveal the exact place.
struct DwellGrid {
  /// The secret distances by which the columns and the rows of the grid are shifted, as fractions of a cell; 0..<1.
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
    // `turns` is the longitude in full turns, in the range -0.5..<1.5. The range is the same at a pole, although the
    // row has only one cell.
    return Coordinate(latitude: latitude, longitude: (turns - turns.rounded(.down)) * 360 - 180)!
  }

  /// Returns the latitude of the middle of a row in degrees, limited to -90...90.
  private func latitude(ofRow row: Int32) -> Double {
    min(90, max(-90, (Double(row) + 0.5 - phase.row) * Self.cellSize / Sphere.metresPerDegree))
  }
}

/// A cell of the secret grid of 500 m (`DwellGrid`).
struct DwellCell: Hashable {
  let row: Int32
  let column: Int32

  init(row: Int32, column: Int32) {
    self.row = row
    self.column = column
  }

  /// Creates a cell. Returns nil if the row or the column is outside every possible grid.
  init?(checkingRow row: Int32, column: Int32) {
    let rowsToPole = Int32((90 * Sphere.metresPerDegree / DwellGrid.cellSize).rounded(.up))
    guard (-rowsToPole...rowsToPole).contains(row),
      (0..<columns(ofWidth: DwellGrid.cellSize, atLatitude: 0)).contains(column)
    else { return nil }
    self.init(row: row, column: column)
  }
}

/// A zone around a position at which the device stayed. Inside the zone, the disclosed approximate position is always
/// the same.
struct DwellZone: Hashable {
  let cell: DwellCell
  let node: Node

  static let radius = 2500.0
  /// The maximum count of zones. A further zone replaces the least recently used zone.
  static let limit = 32
  /// The distance in metres between two positions, one quarter hour apart, below which the device counts as staying.
  static let stayDistance = 200.0
}
