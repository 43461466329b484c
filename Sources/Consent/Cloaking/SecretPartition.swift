import GNSS

/// The secret assignment of positions to nodes: a position belongs to the node with the nearest site.
///
/// Each node has one site. The site is at distance r and angle 2π v from the node, with r² = (1 + u) L²/4, where L is
/// the spacing of the lattice. The numbers u and v come from HMAC-SHA-256 over the node's row and column. Sites are
/// therefore uniform over a ring around the node: between the inscribed and the circumscribed circle of a square with
/// side L. The borders between the areas of the nodes are secret, and an observer who learns one border learns nothing
/// about the others.
///
/// A simulation with 30,000 positions compared the ring with a square of ±0.75 L. The mean distance of the answers is
/// nearly the same: 1365 m with the ring, and 1326 m with the square. But the square gives more answers near the true
/// position: 10.4 % of the answers are within 500 m, compared with 8.5 % for the ring. The greatest distances are
/// larger for the square, too: 95 % of the answers are within 2490 m and all are within 5.7 km, compared with 2417 m
/// and 4.3 km for the ring.
struct SecretPartition {
  let key: CloakKey

  /// The maximum distance between a node and its site, divided by the spacing of the lattice.
  static let reach = 0.5.squareRoot()

  /// Returns the node to report for a position: the node with the nearest site. If the current node belongs to the same
  /// lattice as the new node, the cloak may keep the current node. The cloak replaces the current node only if the site
  /// of the new node is nearer than the site of the current node, and if the difference is more than the hysteresis.
  func node(of coordinate: Coordinate, in lattice: Lattice, current: Node?) -> Node {
    let place = Direction(coordinate)
    let reach = Self.reach * lattice.spacing
    var nearest: (node: Node, distance: Double)?
    // The computation of a site is slow, because it needs an HMAC. The function therefore computes the sites of the
    // nearest nodes first. It stops when no other node can have a nearer site.
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
