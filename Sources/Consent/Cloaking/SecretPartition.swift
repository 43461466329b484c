import GNSS

/// The secret assignment of positions to nodes: a position belongs to the node with the nearest site.
///
/// The site of a node is at distance r and angle 2π v from it, with r² = (1 + u) L²/4, where L is the spacing of the
/// lattice. The numbers u and v come from HMAC-SHA-256 over the node's row and column. So sites are uniform over a ring
/// around the node, between the inscribed and the circumscribed circle of a square with side L. An observer who learns
/// one border between two areas learns nothing about the other borders.
///
/// A simulation with 30,000 positions compared the ring with a square of ±0.75 L. The mean distance of the answers is
/// 1365 m with the ring and 1326 m with the square. 8.5 % (ring) and 10.4 % (square) of the answers are within 500 m.
/// 95 % of the answers are within 2417 m (ring) and 2490 m (square). All answers are within 4.3 km (ring) and 5.7 km
/// (square).
struct SecretPartition {
  let key: CloakKey

  static let reach = 0.5.squareRoot()

  /// Returns the node for a position: the node with the nearest site. A current node of the same lattice stays, unless
  /// the new site is nearer by more than the hysteresis.
  func node(of coordinate: Coordinate, in lattice: Lattice, current: Node?) -> Node {
    let place = Direction(coordinate)
    let reach = Self.reach * lattice.spacing
    var nearest: (node: Node, distance: Double)?
    // A site needs an HMAC, which is slow. So the nearest nodes come first, and the loop ends when no other site can be
    // nearer.
    let nodes = lattice.nodes(around: coordinate)
      .map { (node: $0, distance: place.distance(to: Direction($0.coordinate))) }
      .sorted { $0.distance < $1.distance }
    for (node, distance) in nodes {
      if let nearest, distance - reach >= nearest.distance { break }
      let siteDistance = place.distance(to: site(of: node))
      if siteDistance < nearest?.distance ?? .infinity { nearest = (node, siteDistance) }
    }
    guard let nearest else { preconditionFailure("a lattice without nodes") }
    guard let current, current.lattice == lattice else { return nearest.node }
    let stays = place.distance(to: site(of: current)) <= nearest.distance + lattice.hysteresis
    return stays ? current : nearest.node
  }

  func site(of node: Node) -> Direction {
    let (u, v) = key.draw(.site, lattice: node.lattice.rawValue, row: node.row, column: node.column)
    let distance = node.lattice.spacing / 2 * (1 + u).squareRoot()
    return Direction(from: node.coordinate, distance: distance, turns: v)
  }
}
