import GNSS
import SeededNumbers
import Testing

@testable import Cloaking

@Test func `every answer is a node of the public lattice, with one accuracy`() throws {
  var device = try Device(seed: 1)
  var generator = SplitMix64(seed: 1)
  for _ in 0..<500 {
    let answer = device.nextSlot(generator.position())
    let row = (answer.latitude / 90 * 4995).rounded()
    let column = (answer.longitude + 180) / 360 * Double(Lattice.near.columns(inRow: Int32(row)))
    #expect(answer.latitude == row * 90 / 4995)
    #expect(abs(column - column.rounded()) < 1e-9)
    #expect(answer.horizontalAccuracy == 2750)
  }
}

/// The nodes were computed from the formulas of the reference page "Approximate location" by another program, with the
/// bytes 0...31 as the device key: row and column for each mechanism, in the lattices of 2 km and of 8 km.
@Test(
  arguments: [
    (48.0499, 11.5195, [[2667, 7104], [2667, 7104], [2668, 7103]], [[666, 1778], [667, 1776], [667, 1776]]),
    (48.1245, 11.513, [[2671, 7095], [2671, 7095], [2672, 7092]], [[668, 1774], [668, 1774], [668, 1774]]),
    (48.0684, 11.394, [[2668, 7098], [2668, 7098], [2669, 7096]], [[667, 1775], [667, 1775], [667, 1775]]),
    (64.1466, -21.9426, [[3560, 3824], [3560, 3826], [3560, 3826]], [[891, 954], [890, 957], [890, 957]]),
    (
      -33.8568, 151.2153, [[-1879, 15264], [-1879, 15265], [-1879, 15265]],
      [[-470, 3816], [-470, 3816], [-470, 3816]]
    ),
    (0.01, 179.999, [[1, 0], [1, 0], [1, 19979]], [[0, 0], [0, 0], [0, 0]]),
  ] as [(Double, Double, [[Int32]], [[Int32]])])
func `each mechanism has the same answers in every release`(
  latitude: Double, longitude: Double, near: [[Int32]], far: [[Int32]]
) throws {
  let key = try CloakKey(deviceKey: Array(0..<32))
  let position = try #require(Coordinate(latitude: latitude, longitude: longitude))
  for (lattice, nodes) in [(Lattice.near, near), (.far, far)] {
    let found = Mechanism.allCases.map { mechanism in
      let node = SecretPartition(key: key, mechanism: mechanism).node(of: position, in: lattice, current: nil)
      return [node.row, node.column]
    }
    #expect(found == nodes)
  }
}

@Test func `a node of another lattice never stays, not even at its secret site`() throws {
  let partition = SecretPartition(key: try CloakKey(deviceKey: Array(0..<32)), mechanism: .independent)
  let far = Node(lattice: .far, row: 667, column: 1776)
  let site = partition.site(of: far).coordinate
  #expect(partition.node(of: site, in: .far, current: far) == far)
  #expect(partition.node(of: site, in: .near, current: far).lattice == .near)
}

/// The positions were computed in the same way.
@Test(arguments: [
  (48.1374, 11.5755, 48.14847823006621, 11.569946006186628),
  (64.1466, -21.9426, 64.14356743231268, -21.932239401028642),
  (-33.8568, 151.2153, -33.86244007482411, 151.20321905117936),
  (0.01, 179.999, 0.022190618406421857, 179.99839843113952),
])
func `the shared offset of a device is the same to a millimetre in every release`(
  latitude: Double, longitude: Double, movedLatitude: Double, movedLongitude: Double
) throws {
  let offset = SharedOffset(key: try CloakKey(deviceKey: Array(0..<32)), length: 1200)
  let moved = offset.apply(to: try #require(Coordinate(latitude: latitude, longitude: longitude)))
  #expect(moved.distance(to: Direction(latitude: movedLatitude, longitude: movedLongitude)) < 0.001)
}

/// The reference page has the formula: 360 · 111 000 · cos φ / L, rounded, at least 1. The rows are at the equator, in
/// between, next to the pole and at the pole.
@Test(
  arguments: [
    (.near, [(0, 19_980), (2500, 14_117), (-4000, 6150), (4994, 6), (4995, 1), (-4995, 1)]),
    (.far, [(0, 4995), (625, 3530), (-1000, 1539), (1248, 6), (1249, 1), (-1249, 1)]),
    (.regional, [(0, 296), (37, 209), (-60, 87), (73, 6), (74, 1), (-74, 1)]),
  ] as [(Lattice, [(Int32, Int32)])])
func `a lattice has the stated rows and columns, and no others`(lattice: Lattice, rows: [(Int32, Int32)]) {
  for (row, count) in rows {
    #expect(lattice.columns(inRow: row) == count, "row \(row)")
    // The nodes of the regional lattice are never an answer.
    for column in [0, count - 1] {
      #expect((Node(checking: lattice, row: row, column: column) != nil) == (lattice != .regional))
    }
    for column in [-1, count] { #expect(Node(checking: lattice, row: row, column: column) == nil) }
  }
  let pole = lattice.rowsToPole
  #expect(pole == rows[4].0 && lattice.latitude(ofRow: pole) == 90)
  #expect(Node(lattice: lattice, row: -pole, column: 0).coordinate.latitude == -90)
  for row in [-pole - 1, pole + 1] { #expect(Node(checking: lattice, row: row, column: 0) == nil) }
}

@Test(
  arguments: [Lattice.near, .far, .regional],
  [
    (48.1374, 11.5755), (-33.8568, -151.2153), (0.003, 179.9999), (12.3, -180), (89.99, -77), (-89.2, 33.3),
    (89.3, 100.1), (90, 0), (-90, 12),
  ])
func
  `the search looks at two rows and two columns around the nearest node, and at whole rows within ten rows of a pole`(
    lattice: Lattice, position: (latitude: Double, longitude: Double)
  ) throws
{
  let place = position.latitude / 90 * Double(lattice.rowsToPole)
  var expected: Set<Node> = []
  for row in -lattice.rowsToPole...lattice.rowsToPole where abs(Double(row) - place) < 2.5 {
    let count = lattice.columns(inRow: row)
    let turn = (position.longitude + 180) / 360 * Double(count)
    for column in 0..<count
    where abs(row) >= lattice.rowsToPole - 10
      || abs((Double(column) - turn).remainder(dividingBy: Double(count))) < 2.5
    {
      expected.insert(Node(lattice: lattice, row: row, column: column))
    }
  }
  let coordinate = try #require(Coordinate(latitude: position.latitude, longitude: position.longitude))
  let nodes = lattice.nodes(around: coordinate)
  #expect(Set(nodes) == expected && nodes.count == expected.count)
}

/// Returns the sites near a position, the nearest first, from the nodes that the cloak searches or from many more.
private func sites(
  around position: Coordinate, _ partition: SecretPartition, _ lattice: Lattice, beyond: Bool = false
) -> [(node: Node, distance: Double)] {
  let moved = partition.moved(position)
  let position = moved.coordinate
  var nodes = Set(lattice.nodes(around: position))
  for (east, north) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] where beyond {
    let reach = 4 * lattice.spacing
    nodes.formUnion(lattice.nodes(around: position.moved(east: Double(east) * reach, north: Double(north) * reach)))
  }
  return nodes.map { ($0, moved.distance(to: partition.site(of: $0))) }.sorted { $0.distance < $1.distance }
}

private func positionsOfInterest(_ generator: inout SplitMix64) -> [Coordinate] {
  let everywhere = (0..<30).map { _ in generator.position() }
  let seams = [(0, 180), (0, -180), (60, 180), (-75, -180), (0, 0), (90, 0), (-90, 77)].map {
    Coordinate(latitude: $0.0, longitude: $0.1)!
  }
  let nearSeams = seams.flatMap { seam in
    (0..<6).map { _ in seam.moved(east: generator.metres(-9000...9000), north: generator.metres(-9000...9000)) }
  }
  return everywhere + seams + nearSeams
}

@Test(arguments: [Lattice.near, .far], Mechanism.allCases)
func `a moved position belongs to the nearest of all sites, also at poles and the antimeridian`(
  lattice: Lattice, mechanism: Mechanism
) throws {
  let partition = SecretPartition(key: try Device(seed: 2).key, mechanism: mechanism)
  var generator = SplitMix64(seed: 2)
  for position in positionsOfInterest(&generator) {
    let all = sites(around: position, partition, lattice, beyond: true)
    #expect(partition.node(of: position, in: lattice, current: nil) == all[0].node)
    // A site is at most L/√2 from its node, and the nearest site is at most 2 L/√2 from the position.
    #expect(all[0].node.coordinate.distance(to: partition.moved(position).coordinate) < 2.13 * lattice.spacing)
  }
}

@Test(
  arguments: [Lattice.near, .far],
  [(Mechanism.independent, 0.5, 0.7071), (.earlyShared, 0.3, 0.4), (.shared, 0.35, 0.45)])
func `sites are uniform in the ring of their mechanism`(
  lattice: Lattice, ring: (mechanism: Mechanism, inner: Double, outer: Double)
) throws {
  let partition = SecretPartition(key: try Device(seed: 12).key, mechanism: ring.mechanism)
  // Half of the sites are north of the node, half are east, and half are outside the circle that halves the ring.
  var (northern, eastern, outer) = (0, 0, 0)
  let row: Int32 = -600
  for column in 0..<3000 as Range<Int32> {
    let node = Node(lattice: lattice, row: row, column: column)
    let site = partition.site(of: node)
    let distance = site.distance(to: Direction(node.coordinate)) / lattice.spacing
    #expect(distance > ring.inner - 0.0001 && distance < ring.outer + 0.0001)
    func isNearer(_ east: Double, _ north: Double) -> Bool {
      let ahead = Direction(node.coordinate.moved(east: east, north: north))
      let behind = Direction(node.coordinate.moved(east: -east, north: -north))
      return site.distance(to: ahead) < site.distance(to: behind)
    }
    northern += isNearer(0, 100) ? 1 : 0
    eastern += isNearer(100, 0) ? 1 : 0
    outer += distance * distance > (ring.inner * ring.inner + ring.outer * ring.outer) / 2 ? 1 : 0
  }
  // The tolerance of 110 is four standard errors of 3000 sites.
  for count in [northern, eastern, outer] { #expect((1390...1610).contains(count)) }
}

@Test func `the answer changes only 150 m nearer to another site, and then to the nearest one`() throws {
  let partition = SecretPartition(key: try Device(seed: 9).key, mechanism: .shared)
  var generator = SplitMix64(seed: 9)
  for _ in 0..<10 {
    var position = generator.positionInTown()
    var current = partition.node(of: position, in: .near, current: nil)
    let (east, north) = (generator.metres(-20...20), generator.metres(-20...20))
    for _ in 0..<150 {
      position = position.moved(east: east, north: north)
      let next = partition.node(of: position, in: .near, current: current)
      let all = sites(around: position, partition, .near)
      let own = partition.moved(position).distance(to: partition.site(of: current))
      #expect((next != current) == (own - all[0].distance > 150))
      if next != current {
        #expect(next == all[0].node)
        // After the change, noise of up to twice 70 m never changes the answer back.
        for _ in 0..<20 {
          let nearby = position.moved(east: generator.metres(-50...50), north: generator.metres(-50...50))
          #expect(partition.node(of: nearby, in: .near, current: next) == next)
        }
      }
      current = next
    }
  }
}

@Test func `the shared offset is smooth, also at poles and the antimeridian`() throws {
  let offset = SharedOffset(key: try Device(seed: 21).key, length: 1200)
  var generator = SplitMix64(seed: 21)
  for position in positionsOfInterest(&generator) {
    let moved = offset.apply(to: position)
    // Four of the regional lattice's vectors of at most 1470 m.
    #expect(moved.distance(to: Direction(position)) < 4 * 1470)
    let neighbour = position.moved(east: generator.metres(-50...50), north: generator.metres(-50...50))
    let (before, after) = (
      Direction(position).distance(to: Direction(neighbour)), moved.distance(to: offset.apply(to: neighbour))
    )
    #expect(abs(after - before) < 0.1 * before + 0.01)
  }
}

@Test(arguments: [(Mechanism.earlyShared, 1100.0), (.shared, 1200)])
func `the shared offset has the length of its mechanism, and positions far apart have independent offsets`(
  mechanism: Mechanism, length: Double
) throws {
  #expect(mechanism.offsetLength == length)
  var generator = SplitMix64(seed: 22)
  var (squares, product) = (0.0, 0.0)
  let count = 2000
  for seed in 0..<UInt64(count) {
    let offset = SharedOffset(key: try Device(seed: seed).key, length: length)
    let position = generator.positionInTown()
    let other = position.moved(east: 500_000, north: 0)
    let (here, there) = (offset.apply(to: position) - Direction(position), offset.apply(to: other) - Direction(other))
    squares += (here * here).sum()
    product += (here * there).sum()
  }
  #expect(abs((squares / Double(count)).squareRoot() * Sphere.radius - length) < 40)
  #expect(abs(product / squares) < 0.06)
}
