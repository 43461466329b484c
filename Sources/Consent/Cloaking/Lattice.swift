import GNSS

/// The public lattice of nodes: rows of equal latitude from pole to pole, columns spaced by each row's own cosine.
///
/// Whoever has this source knows every node. What is secret is which places belong to which node.
enum Lattice: UInt8, CaseIterable {
  /// 2 km: the lattice of every answer, unless the owner chose otherwise.
  case near = 0
  /// 8 km: for travellers whose road is known, where the owner chose it.
  case far = 1

  /// L: metres between rows, and about that between the columns of a row.
  var spacing: Double {
    switch self {
    case .near: 2000
    case .far: 8000
    }
  }

  /// How much nearer, in metres, another site must be before the current node is left.
  var hysteresis: Double { spacing * 0.075 }

  /// Radius in metres that 95 % of answers lie within: measured as 2.4 km for the 2 km lattice.
  var horizontalAccuracy: Double { spacing * 1.25 }

  /// Rows from the equator to a pole, so that the last row is the pole itself.
  var rowsToPole: Int32 {
    switch self {
    case .near: 4995
    case .far: 1249
    }
  }

  func latitude(ofRow row: Int32) -> Double {
    Double(row) * 90 / Double(rowsToPole)
  }

  func columns(inRow row: Int32) -> Int32 {
    Cloaking.columns(ofWidth: spacing, atLatitude: latitude(ofRow: row))
  }

  /// The nodes that a place may belong to: two rows and two columns either way, and near a pole whole rows.
  ///
  /// A place is at most L/√2 from the nearest node and that node's site at most L/√2 further, so the nearest site is
  /// within 1.42 L; a node three rows or columns away keeps its site at least 2.5 L − L/√2 = 1.79 L away.
  func nodes(around coordinate: Coordinate) -> [Node] {
    let nearest = Int32((coordinate.latitude / 90 * Double(rowsToPole)).rounded())
    var nodes: [Node] = []
    nodes.reserveCapacity(25)
    for row in max(nearest - 2, -rowsToPole)...min(nearest + 2, rowsToPole) {
      let count = columns(inRow: row)
      if count <= Self.columnsSearchedWhole {
        for column in 0..<count { nodes.append(Node(lattice: self, row: row, column: column)) }
      } else {
        let middle = Int32(((coordinate.longitude + 180) / 360 * Double(count)).rounded())
        for column in middle - 2...middle + 2 {
          nodes.append(Node(lattice: self, row: row, column: (column + count) % count))
        }
      }
    }
    return nodes
  }

  /// Rows with so few columns lie within ten rows of a pole, where two columns may be less than the way across it.
  private static let columnsSearchedWhole: Int32 = 64
}

/// One node of the public lattice.
struct Node: Hashable {
  let lattice: Lattice
  /// Rows north of the equator.
  let row: Int32
  /// Columns east of the antimeridian, 0..<`lattice.columns(inRow: row)`.
  let column: Int32

  init(lattice: Lattice, row: Int32, column: Int32) {
    self.lattice = lattice
    self.row = row
    self.column = column
  }

  /// Nil unless the lattice has such a node.
  init?(checking lattice: Lattice, row: Int32, column: Int32) {
    guard (-lattice.rowsToPole...lattice.rowsToPole).contains(row),
      (0..<lattice.columns(inRow: row)).contains(column)
    else { return nil }
    self.init(lattice: lattice, row: row, column: column)
  }

  /// Longitudes run from -180 to just under 180.
  var coordinate: Coordinate {
    // A row and a column of the lattice are a latitude and a longitude in range.
    Coordinate(
      latitude: lattice.latitude(ofRow: row),
      longitude: -180 + Double(column) * 360 / Double(lattice.columns(inRow: row)))!
  }
}
