import GNSS
import SeededNumbers
import Testing

@testable import Cloaking

@Test func `two slots within 200 m make a zone, one does not, nor do two further apart`() throws {
  for seed in 0..<20 as Range<UInt64> {
    var (staying, passing) = (try Device(seed: seed), try Device(seed: seed))
    // Many requests in one slot are not a stay.
    for _ in 0..<100 { _ = staying.ask(.munich) }
    _ = passing.ask(.munich)
    #expect(staying.cloak.memory.zones.isEmpty)
    _ = staying.nextSlot(.munich.moved(east: 141, north: 141))
    _ = passing.nextSlot(.munich.moved(east: 142, north: 142))
    #expect(staying.cloak.memory.zones.count == 1 && passing.cloak.memory.zones.isEmpty)
  }
}

@Test func `errands within 2 km of a home get the answer of the home, and a stay at a pole has one answer`() throws {
  var generator = SplitMix64(seed: 2)
  for seed in 0..<20 as Range<UInt64> {
    let pole = Coordinate(latitude: seed % 2 == 0 ? 90 : -90, longitude: 0)!
    // The limit is 2500 m less half the diagonal of a cell. The cells at the poles are larger.
    for (home, reach) in [(generator.position(), 1500.0), (pole, 90)] {
      var device = try Device(seed: seed)
      let answer = device.ask(home).coordinate
      #expect(device.nextSlot(home).coordinate == answer)
      for _ in 0..<100 {
        let errand = home.moved(east: generator.metres(-reach...reach), north: generator.metres(-reach...reach))
        #expect(device.nextSlot(errand).coordinate == answer)
      }
      #expect(device.cloak.memory.zones.count == 1)
    }
  }
}

@Test func `a zone ends 2.5 km from the centre of a secret cell, not from the home`() throws {
  for seed in 0..<10 as Range<UInt64> {
    var device = try Device(seed: seed)
    let home = Coordinate.munich
    _ = device.ask(home)
    _ = device.nextSlot(home)
    let zone = try #require(device.cloak.memory.zones.first)
    let centre = DwellGrid(key: device.key).centre(of: zone.cell)
    for turns in [0, 0.125, 0.25, 0.4, 0.5, 0.75, 0.9] {
      let inside = Direction(from: centre, distance: 2499.9, turns: turns).coordinate
      let outside = Direction(from: centre, distance: 2500.1, turns: turns).coordinate
      #expect(device.nextSlot(inside).coordinate == zone.node.coordinate)
      _ = device.nextSlot(outside)
      #expect(device.cloak.memory.candidate == outside)
    }
  }
}

/// The cells were computed from the formulas by another program, with the bytes 0...31 as the device key. The saved
/// zones contain their rows and columns.
@Test(
  arguments: [
    (48.1374, 11.5755, 10_686, 28_383, 48.13576373341076, 11.57856602459404),
    (-33.8568, 151.2153, -7516, 61_062, -33.855227257580225, 151.21599538169545),
    (0.01, 179.9999, 2, 0, 0.00963760728463995, -179.99806809950266),
    (90, 0, 19_980, 0, 90, -25.602512253679407), (-90, 0, -19_980, 0, -89.99937140172436, -25.602512253679407),
  ] as [(Double, Double, Int32, Int32, Double, Double)])
func `a device has the same secret grid in every release`(
  latitude: Double, longitude: Double, row: Int32, column: Int32, centreLatitude: Double, centreLongitude: Double
) throws {
  let grid = DwellGrid(key: try CloakKey(deviceKey: Array(0..<32)))
  let cell = grid.cell(of: try #require(Coordinate(latitude: latitude, longitude: longitude)))
  #expect(cell == DwellCell(row: row, column: column))
  let centre = Direction(latitude: centreLatitude, longitude: centreLongitude)
  #expect(Direction(grid.centre(of: cell)).distance(to: centre) < 0.001)
}

@Test func `a cell's centre is within half a diagonal of every position in it, also at poles and the antimeridian`()
  throws
{
  var generator = SplitMix64(seed: 4)
  for seed in 0..<20 as Range<UInt64> {
    let grid = DwellGrid(key: try Device(seed: seed).key)
    var positions = (0..<50).map { _ in generator.position() }
    for longitude in [-180.0, 180, 179.9999, -179.9999] {
      positions += [-60.0, 0, 45].map { Coordinate(latitude: $0, longitude: longitude)! }
    }
    for position in positions {
      let cell = grid.cell(of: position)
      #expect(DwellCell(checkingRow: cell.row, column: cell.column) == cell)
      #expect(grid.centre(of: cell).distance(to: position) < 356)
      #expect(grid.cell(of: grid.centre(of: cell)) == cell)
    }
    for pole in [-90.0, 90] {
      for _ in 0..<20 {
        let position = Coordinate(latitude: pole, longitude: 0)!
          .moved(east: generator.metres(-600...600), north: generator.metres(-600...600))
        let cell = grid.cell(of: position)
        #expect(DwellCell(checkingRow: cell.row, column: cell.column) == cell)
        #expect(grid.centre(of: cell).distance(to: position) < 1100)
      }
    }
  }
}

@Test func `with more than 32 zones, the least recently used one is removed`() throws {
  var device = try Device(seed: 5)
  let homes = (0..<34).map { Coordinate.munich.moved(east: Double($0) * 20_000, north: 0) }
  for home in homes.prefix(32) {
    _ = device.nextSlot(home)
    _ = device.nextSlot(home)
  }
  let firstZone = device.cloak.memory.zones[0]
  let secondZone = device.cloak.memory.zones[1]
  #expect(device.cloak.memory.zones.count == 32)
  // The first zone is used again, so the second one is now the least recently used.
  #expect(device.nextSlot(homes[0]).coordinate == firstZone.node.coordinate)
  _ = device.nextSlot(homes[32])
  _ = device.nextSlot(homes[32])
  #expect(device.cloak.memory.zones.count == 32)
  #expect(device.cloak.memory.zones.contains(firstZone))
  #expect(!device.cloak.memory.zones.contains(secondZone))
}

@Test func `if the owner chose it, a traveller gets answers from the 8 km lattice until two slots are slow`() throws {
  var (coarse, plain) = (try Device(seed: 6, coarsensTravel: true), try Device(seed: 6))
  var accuracies: [Double] = []
  for (hop, speed) in [nil, 30, 12, 0, 30, 4.9, 1, 30, 5, .nan].enumerated() {
    let position = Coordinate.munich.moved(east: Double(hop) * 15_000, north: 0)
    accuracies.append(coarse.nextSlot(position, speed: speed).horizontalAccuracy)
    #expect(plain.nextSlot(position, speed: speed).horizontalAccuracy == 2750)
    try coarse.restart()
  }
  #expect(accuracies == [2750, 10_000, 10_000, 10_000, 10_000, 10_000, 2750, 10_000, 10_000, 2750])
}
