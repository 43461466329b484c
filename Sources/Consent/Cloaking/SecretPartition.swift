import GNSS

/// Which node a place belongs to: the one whose secret site is nearest.
///
/// The site of a node lies r east of it turned by 2π v, with r² = (1 + u) L²/4 and u, v from HMAC-SHA-256 over the node's
/// row and column: evenly over the ring between the circles in and around the node's square. The borders between nodes
/// are then secret, and one that was seen teaches nothing about the others.
///
/// Sites spread evenly over a square of ±0.75 L would give answers of nearly the same mean distance (1326 m, the ring
/// 1365 m; 30,000 places), but more that are nearly right (10.4 % within 500 m, the ring 8.5 %) and more that are far off
/// (95 % within 2490 m, the ring 2417 m; none beyond 5.7 km, the ring 4.3 km).
struct SecretPartition {
  let key: CloakKey

  /// The most that a site is away from its node, in units of L.
  static let reach = 0.5.squareRoot()

  /// The node to report from a place: the nearest by site, or the current one of the same lattice as long as no other
  /// site is nearer by more than the hysteresis.
  func node(of coordinate: Coordinate, in lattice: Lattice, current: Node?) -> Node {
    let place = Direction(coordinate)
    let reach = Self.reach * lattice.spacing
    var nearest: (node: Node, distance: Double)?
    // By distance, so that the first few sites rule out the rest and need no HMAC drawn for them.
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
