import GNSS

/// The secret assignment of positions to nodes: a position belongs to the node with the nearest site.
///
/// The site of a node is at distance r and angle 2π v from the node, with r² = (1 + u) L²/4. The numbers u and v come
/// from HMAC-SHA-256 over the node's row and column. Sites are therefore uniform over the ring between the inscribed
/// and the circumscribed circle of the node's square. The borders between nodes are secret, and a border that an
/// observer learned reveals nothing about the others.
///
/// Sites that are uniform over a square of ±0.75 L would give answers with nearly the same mean distance (1326 m, the
/// ring 1365 m; 30,000 positions). But more answers would be nearly right (10.4 % within 500 m, the ring 8.5 %), and
/// more would be far off (95 % within 2490 m, the ring 2417 m; maximum 5.7 km, the ring 4.3 km).
struct SecretPartition {
  let key: CloakKey

  /// The maximum distance between a site and its node, in units of L.
  static let reach = 0.5.squareRoot()

  /// Returns the node to report for a position: the node with the nearest site. The current node of the same lattice
  /// stays until another site is nearer by more than the hysteresis.
  func node(of coordinate: Coordinate, in lattice: Lattice, current: Node?) -> Node {
    let place = Direction(coordinate)
    let reach = Self.reach * lattice.spacing
    var nearest: (node: Node, distance: Double)?
    // The nodes are sorted by distance: the first few sites exclude the other nodes, which saves their HMACs.
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
