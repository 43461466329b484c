import GNSS

/// A secret grid of cells of 500 m. Around a place at which the device stays, the answer is constant in a circle (a
/// zone). The centre of a zone is the centre of a cell, so that the border of the zone does not reveal the exact place.
struct DwellGrid {
  /// The secret shift of the columns and of the rows of the grid, each as a fraction of a cell in 0..<1.
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

/// A cell of the secret grid with a cell size of 500 m (`DwellGrid`).
struct DwellCell: Hashable {
  let row: Int32
  let column: Int32

  init(row: Int32, column: Int32) {
    self.row = row
    self.column = column
  }

  /// Creates a cell. Returns nil if no grid can have a cell with this row and column.
  init?(checkingRow row: Int32, column: Int32) {
    let rowsToPole = Int32((90 * Sphere.metresPerDegree / DwellGrid.cellSize).rounded(.up))
    guard (-rowsToPole...rowsToPole).contains(row),
      (0..<columns(ofWidth: DwellGrid.cellSize, atLatitude: 0)).contains(column)
    else { return nil }
    self.init(row: row, column: column)
  }
}

/// A circle around a position at which the device stayed. Inside this zone, the disclosed approximate position is
/// always the same.
struct DwellZone: Hashable {
  let cell: DwellCell
  let node: Node

  static let radius = 2500.0
  /// The maximum count of zones (circles with a constant answer). A further zone replaces the least recently used zone.
  static let limit = 32
  /// The distance in metres between two positions, 15 minutes apart, below which the device counts as staying at one
  /// position.
  static let stayDistance = 200.0
}
