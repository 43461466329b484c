import GNSS

/// A public lattice of nodes: rows of equal latitude from pole to pole. The cosine of the latitude gives the number of
/// columns in a row.
///
/// The source code gives every node. The assignment of positions to nodes is secret.
enum Lattice: UInt8, CaseIterable {
  /// The lattice with a spacing of 2 km: for every answer, unless the owner chose the coarse lattice for travel.
  case near = 0
  /// The lattice with a spacing of 8 km: for travellers on a known road, if the owner chose it.
  case far = 1

  /// The distance L in metres between rows, and approximately between the columns of a row.
  var spacing: Double {
    switch self {
    case .near: 2000
    case .far: 8000
    }
  }

  /// The distance in metres by which another site must be nearer before the cloak leaves the current node.
  var hysteresis: Double { spacing * 0.075 }

  /// The radius in metres that contains 95 % of the answers: measured as 2.4 km for the 2 km lattice.
  var horizontalAccuracy: Double { spacing * 1.25 }

  /// The number of rows from the equator to a pole. The last row is the pole.
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

  /// Returns the nodes that a position can belong to: those within two rows and two columns, and near a pole whole
  /// rows.
  ///
  /// The nearest node is at most L/√2 away from the position, and its site is at most L/√2 away from that node. So the
  /// nearest site is within 1.42 L. The site of a node three rows or columns away is at least 2.5 L − L/√2 = 1.79 L
  /// away.
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

  /// The maximum number of columns in a row that is searched completely. Such rows are within ten rows of a pole, and
  /// the distance of two columns can be shorter there than the way across the pole.
  private static let columnsSearchedWhole: Int32 = 64
}

/// A node of the public lattice.
struct Node: Hashable {
  let lattice: Lattice
  /// The number of the row, counted north from the equator.
  let row: Int32
  /// The number of the column, counted east from the antimeridian; 0..<`lattice.columns(inRow: row)`.
  let column: Int32

  init(lattice: Lattice, row: Int32, column: Int32) {
    self.lattice = lattice
    self.row = row
    self.column = column
  }

  /// Creates a node; returns nil unless the lattice has this node.
  init?(checking lattice: Lattice, row: Int32, column: Int32) {
    guard (-lattice.rowsToPole...lattice.rowsToPole).contains(row),
      (0..<lattice.columns(inRow: row)).contains(column)
    else { return nil }
    self.init(lattice: lattice, row: row, column: column)
  }

  /// The position of the node; longitudes are -180..<180.
  var coordinate: Coordinate {
    // A row and a column of the lattice always give a valid latitude and longitude.
    Coordinate(
      latitude: lattice.latitude(ofRow: row),
      longitude: -180 + Double(column) * 360 / Double(lattice.columns(inRow: row)))!
  }
}
