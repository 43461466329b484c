import GNSS

/// The secret assignment of positions to points (nodes) of a public lattice. Each node has a secret site near the node.
/// `SharedOffset` moves a position, and the moved position belongs to the node with the nearest site.
///
/// The site of a node is at the distance r and the angle 2π v from the node. The square of r depends linearly on u,
/// within the range `Mechanism.ring`. The numbers u and v come from HMAC-SHA-256 over the row and column of the node. A
/// known border between two areas does not reveal the other borders.
struct SecretPartition {
  let key: CloakKey
  let mechanism: Mechanism

  /// Returns the node (point of the lattice) for a position. A current node of the same lattice stays, unless the site
  /// of another node is nearer to the position by more than the hysteresis.
  func node(of coordinate: Coordinate, in lattice: Lattice, current: Node?) -> Node {
    let direction = moved(coordinate)
    let reach = mechanism.ring.upperBound * lattice.spacing
    var nearest: (node: Node, distance: Double)?
    // A site needs an HMAC, which is slow. So the code examines the nearest nodes first. The loop ends when no
    // remaining node can have a site that is nearer to the position than the nearest site so far.
    let nodes = lattice.nodes(around: direction.coordinate)
      .map { (node: $0, distance: direction.distance(to: Direction($0.coordinate))) }
      .sorted { $0.distance < $1.distance }
    for (node, distance) in nodes {
      if let nearest, distance - reach >= nearest.distance { break }
      let siteDistance = direction.distance(to: site(of: node))
      if siteDistance < nearest?.distance ?? .infinity { nearest = (node, siteDistance) }
    }
    guard let nearest else { preconditionFailure("a lattice without nodes") }
    guard let current, current.lattice == lattice else { return nearest.node }
    let stays = direction.distance(to: site(of: current)) <= nearest.distance + lattice.hysteresis
    return stays ? current : nearest.node
  }

  /// Returns a position after the secret offset of this mechanism, or the same position if the mechanism has no offset.
  func moved(_ coordinate: Coordinate) -> Direction {
    guard let length = mechanism.offsetLength else { return Direction(coordinate) }
    return SharedOffset(key: key, length: length).apply(to: coordinate)
  }

  func site(of node: Node) -> Direction {
    let (u, v) = key.draw(.site, lattice: node.lattice.rawValue, row: node.row, column: node.column)
    let (inner, outer) = (mechanism.ring.lowerBound, mechanism.ring.upperBound)
    let distance = node.lattice.spacing * (inner * inner + u * (outer * outer - inner * inner)).squareRoot()
    return Direction(from: node.coordinate, distance: distance, turns: v)
  }
}

/// A version of the algorithm for approximate positions. The version of a device never changes. If it changed, an app
/// could get two answers for the same home, and an attacker could intersect their two areas. The raw value is the first
/// byte of the saved state (`Cloak.Memory`).
package enum Mechanism: UInt8, Sendable, CaseIterable {
  /// The version of the first devices, without a secret offset for neighbouring positions.
  case independent = 1
  /// The version of later devices, with a secret offset of 1100 m that neighbouring positions share.
  case earlyShared = 2
  /// The version of new devices, with a secret offset of 1200 m that neighbouring positions share.
  case shared = 3

  /// The root mean square in metres of the secret offset that neighbouring positions share; nil for a version without
  /// an offset.
  var offsetLength: Double? {
    switch self {
    case .independent: nil
    case .earlyShared: 1100
    case .shared: 1200
    }
  }

  /// The range of the distance between a node and its secret site, divided by the spacing of the lattice.
  ///
  /// The ranges come from simulations. The mean distance between an answer and the true position is 1359 m
  /// (independent), 1329 m (earlyShared) or 1441 m (shared). 95 % of the answers are within 2411 m (independent), 2532
  /// m (earlyShared) or 2725 m (shared). `Scripts/bench privacy` measures these distances again.
  var ring: ClosedRange<Double> {
    switch self {
    case .independent: 0.5...0.5.squareRoot()
    case .earlyShared: 0.3...0.4
    case .shared: 0.35...0.45
    }
  }
}
