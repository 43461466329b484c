import GNSS

/// The secret grid of 500 m cells. A dwell zone has its centre at the centre of a cell.
///
/// An observer who finds the border of a zone knows the centre of the zone. The centre is therefore the centre of a
/// cell, and not the place where the device stayed.
struct DwellGrid {
  /// The secret offset of the grid. The numbers are the offset of the first column and the offset of the first row, as
  /// fractions of a cell; 0..<1.
  private let phase: (column: Double, row: Double)

  static let cellSize = 500.0

  init(key: CloakKey) {
    phase = key.draw(.dwellPhase)
  }

  /// Returns the cell that contains a position.
  func cell(of coordinate: Coordinate) -> DwellCell {
    let row = Int32((coordinate.latitude * Sphere.metresPerDegree / Self.cellSize + phase.row).rounded(.down))
    let count = columns(ofWidth: Self.cellSize, atLatitude: latitude(ofRow: row))
    let column = Int32(((coordinate.longitude + 180) / 360 * Double(count) + phase.column).rounded(.down))
    return DwellCell(row: row, column: column % count)
  }

  /// Returns the centre of a cell.
  func centre(of cell: DwellCell) -> Coordinate {
    let latitude = latitude(ofRow: cell.row)
    let count = columns(ofWidth: Self.cellSize, atLatitude: latitude)
    let turns = (Double(cell.column % count) + 0.5 - phase.column) / Double(count)
    // `turns` is the longitude as a number of full turns. It is in -0.5..<1.5, even for the single cell around a pole.
    // The fractional part of `turns` gives a valid longitude.
    return Coordinate(latitude: latitude, longitude: (turns - turns.rounded(.down)) * 360 - 180)!
  }

  /// Returns the latitude of the middle of a row, in degrees. If the middle of the last row is beyond the pole, the
  /// function returns the latitude of the pole.
  private func latitude(ofRow row: Int32) -> Double {
    min(90, max(-90, (Double(row) + 0.5 - phase.row) * Self.cellSize / Sphere.metresPerDegree))
  }
}

/// A cell of the secret grid of 500 m cells (`DwellGrid`).
struct DwellCell: Hashable {
  let row: Int32
  let column: Int32

  init(row: Int32, column: Int32) {
    self.row = row
    self.column = column
  }

  /// Creates a cell. Returns nil if the row or the column is outside every possible `DwellGrid`.
  init?(checkingRow row: Int32, column: Int32) {
    let rowsToPole = Int32((90 * Sphere.metresPerDegree / DwellGrid.cellSize).rounded(.up))
    guard (-rowsToPole...rowsToPole).contains(row),
      (0..<columns(ofWidth: DwellGrid.cellSize, atLatitude: 0)).contains(column)
    else { return nil }
    self.init(row: row, column: column)
  }
}

/// A zone around a place at which the device stayed. While the device is within 2.5 km of the zone's centre, the cloak
/// reports the same node.
struct DwellZone: Hashable {
  let cell: DwellCell
  let node: Node

  /// The radius of every zone, in metres.
  static let radius = 2500.0
  /// The maximum number of zones. If the memory has this number of zones, a new zone replaces the least recently used
  /// zone.
  static let limit = 32
  /// The maximum distance in metres between two consecutive positions that the cloak treats as one place. The device
  /// stays at a place if its positions in two consecutive slots have at most this distance.
  static let stayDistance = 200.0
}
