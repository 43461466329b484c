import Glibc

/// The influence of the satellites' directions on the position error (dilution of precision). The values apply to range
/// errors with a standard deviation of 1 m. (A range is the distance from a satellite to the receiver.)
///
/// The values are elements of the cofactor matrix (HᵀH)⁻¹ of a least-squares solution for east, north, up and the
/// receiver's clock.
struct Geometry: Hashable, Sendable {
  /// The variance of the position error to the east in m².
  var east: Double
  /// The variance of the position error to the north in m².
  var north: Double
  /// The covariance of the position errors to the east and to the north in m².
  var eastNorth: Double
  /// The variance of the altitude error in m²; nil if the solution has no altitude.
  var up: Double?

  /// Creates the geometry from the directions of satellites. Returns nil if the satellites do not determine a position.
  ///
  /// - Parameter withAltitude: Whether the solution has an altitude.
  init?(of positions: [SkyPosition], withAltitude: Bool) {
    let size = withAltitude ? 4 : 3
    var normal = [[Double]](repeating: [Double](repeating: 0, count: size), count: size)
    for position in positions {
      let level = cos(position.elevation)
      var row = [level * sin(position.azimuth), level * cos(position.azimuth), 1]
      if withAltitude { row.append(sin(position.elevation)) }
      for i in 0..<size { for j in 0..<size { normal[i][j] += row[i] * row[j] } }
    }
    guard let inverse = Geometry.inverse(normal) else { return nil }
    east = inverse[0][0]
    north = inverse[1][1]
    eastNorth = inverse[0][1]
    up = withAltitude ? inverse[3][3] : nil
  }

  var hdop: Double { sqrt(east + north) }
  var vdop: Double? { up.map { sqrt($0) } }
  var pdop: Double { sqrt(east + north + (up ?? 0)) }

  /// Returns the inverse of a matrix, by Gauss-Jordan elimination with partial pivoting. Returns nil for a singular
  /// matrix.
  private static func inverse(_ matrix: [[Double]]) -> [[Double]]? {
    let size = matrix.count
    // Each row is a row of the matrix, and then a row of the identity matrix.
    var rows = (0..<size).map { row in matrix[row] + (0..<size).map { $0 == row ? 1.0 : 0.0 } }
    for column in 0..<size {
      guard let pivot = (column..<size).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }),
        abs(rows[pivot][column]) > 1e-6
      else { return nil }
      rows.swapAt(column, pivot)
      let scale = rows[column][column]
      rows[column] = rows[column].map { $0 / scale }
      for row in 0..<size where row != column {
        let factor = rows[row][column]
        rows[row] = zip(rows[row], rows[column]).map { $0 - factor * $1 }
      }
    }
    return rows.map { Array($0[size...]) }
  }
}
