import GNSS

/// A secret offset that is nearly the same for neighbouring positions. `SecretPartition` adds the offset to a position
/// before the choice of the approximate position.
///
/// Without this offset, the errors of successive answers during a journey are independent, and a line through the
/// answers approaches the true course. Only an average over more than about 150 km removes the offset.
///
/// The offset is value noise (K. Perlin, "An Image Synthesizer", 1985): each node of a lattice of 135 km has a secret
/// vector, and the offset of a position is the weighted sum of the vectors of the nodes within 1.5 spacings.
struct SharedOffset {
  let key: CloakKey
  /// The root mean square of the distances by which positions are moved, in metres.
  let length: Double

  func apply(to coordinate: Coordinate) -> Direction {
    let lattice = Lattice.regional
    let direction = Direction(coordinate)
    var (sum, squares) = (SIMD3<Double>.zero, 0.0)
    for node in lattice.nodes(around: coordinate) {
      let centre = Direction(node.coordinate)
      let share = direction.distance(to: centre) / (1.5 * lattice.spacing)
      guard share < 1 else { continue }
      let weight = (1 - share * share) * (1 - share * share)
      let (u, v) = key.draw(.sharedOffset, lattice: lattice.rawValue, row: node.row, column: node.column)
      let distance = length * (0.5 + u).squareRoot()
      sum += (Direction(from: node.coordinate, distance: distance, turns: v) - centre) * weight
      squares += weight * weight
    }
    // With this divisor the root mean square of the offset is the same everywhere.
    return direction + sum / squares.squareRoot()
  }
}
