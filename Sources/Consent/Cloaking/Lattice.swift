import GNSS

/// A public lattice of points (nodes) over the earth. All nodes of a row have the same latitude. The count of nodes in
/// a row is proportional to the cosine of the latitude.
enum Lattice: UInt8 {
  /// The default lattice with a spacing of 2 km.
  case near = 0
  /// The lattice with a spacing of 8 km, which can protect a traveller on a known road.
  case far = 1
  /// The lattice with a spacing of 135 km, for the secret offset of positions (`SharedOffset`). The nodes of this
  /// lattice are never disclosed.
  case regional = 2

  /// The distance in metres between two rows, and approximately between two nodes of a row.
  var spacing: Double {
    switch self {
    case .near: 2000
    case .far: 8000
    case .regional: 135_000
    }
  }

  /// The hysteresis in metres, which prevents frequent changes of the disclosed node. Each node has a secret site near
  /// the node. The node changes only if another site is nearer to the position by more than this distance.
  var hysteresis: Double { spacing * 0.075 }

  /// The radius in metres of the circle around the true position that contains 95 % of the answers, rounded up. In
  /// simulations with the 2 km lattice, the radius for a new device is 2725 m.
  var horizontalAccuracy: Double { self == .near ? 2750 : 10_000 }

  /// The count of rows from the equator to a pole. The row of the equator is not counted, and the last row is the pole.
  var rowsToPole: Int32 { Int32((90 * Sphere.metresPerDegree / spacing).rounded()) }

  func latitude(ofRow row: Int32) -> Double {
    Double(row) * 90 / Double(rowsToPole)
  }

  func columns(inRow row: Int32) -> Int32 {
    Cloaking.columns(ofWidth: spacing, atLatitude: latitude(ofRow: row))
  }

  /// Returns the nodes that can stand for a position: the nodes within two rows and two columns of the nearest node.
  /// Near a pole, the result contains whole rows.
  ///
  /// These nodes are enough. With the spacing L, the nearest node is at most L/√2 away from the position. The secret
  /// site of this node is at most L/√2 away from the node. The nearest site is therefore within 1.42 L. The site of a
  /// node three rows or columns away is at least 2.5 L − L/√2 = 1.79 L away. The shared offset uses only nodes at
  /// most 1.5 L away.
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

  /// The maximum count of columns of a row that `nodes(around:)` returns completely. Such rows are within ten rows of a
  /// pole. Two nodes of these rows can be near each other across the pole, although their columns are far apart.
  private static let columnsSearchedWhole: Int32 = 64
}

/// A point of a public lattice over the earth.
struct Node: Hashable {
  let lattice: Lattice
  /// The index of the row, counted northward from the equator; negative in the south.
  let row: Int32
  /// The index of the column, counted eastward from the antimeridian; 0..<`lattice.columns(inRow: row)`.
  let column: Int32

  init(lattice: Lattice, row: Int32, column: Int32) {
    self.lattice = lattice
    self.row = row
    self.column = column
  }

  /// Creates a node with a valid row and column. Returns nil if the lattice has no such node, or if the nodes of the
  /// lattice are never disclosed.
  init?(checking lattice: Lattice, row: Int32, column: Int32) {
    guard lattice != .regional, (-lattice.rowsToPole...lattice.rowsToPole).contains(row),
      (0..<lattice.columns(inRow: row)).contains(column)
    else { return nil }
    self.init(lattice: lattice, row: row, column: column)
  }

  var coordinate: Coordinate {
    // Every row and column of the lattice gives a valid latitude and longitude.
    Coordinate(
      latitude: lattice.latitude(ofRow: row),
      longitude: -180 + Double(column) * 360 / Double(lattice.columns(inRow: row)))!
  }
}
