import GNSS
import Glibc
import Testing

@testable import SimulatedHardware

@Test func `a satellite is seen above 5 degrees, and used above 8 degrees from 26 dB-Hz on until 23 dB-Hz`() {
  let start = 1.79e9
  let sky = Sky(latitude: 47.4, longitude: 8.5)
  var tracking = Tracking(seed: 1, sky: sky, start: start)
  var formerlyUsed: Set<String> = []
  for step in 0..<1000 {
    let seconds = start + Double(step) * 10
    let seen = tracking.satellites(at: seconds, elapsed: 10, found: sky.orbits.count, heading: 0, skyline: 40)
    #expect(seen.map(\.position) == sky.positions(at: seconds).filter { $0.elevation > 5 * .pi / 180 })
    var used: Set<String> = []
    for satellite in seen {
      let name = "\(satellite.constellation) \(satellite.number)"
      let isHigh = satellite.position.elevation > 8 * .pi / 180
      let needed = formerlyUsed.contains(name) ? 23 : 26
      // A strength is a whole number, so a signal just below the limit can have the limit as its strength.
      if satellite.isUsed {
        #expect(isHigh && satellite.strength.map { $0 >= needed } ?? false)
        used.insert(name)
      } else if isHigh {
        #expect(satellite.strength ?? 0 <= needed)
      }
      // A weaker signal has no strength.
      #expect(satellite.strength ?? 16 >= 16)
    }
    formerlyUsed = used
  }
}

@Test(arguments: 0...16)
func `a receiver acquires the highest satellites first`(found: Int) {
  let start = 1.79e9
  let sky = Sky(latitude: 47.4, longitude: 8.5)
  var tracking = Tracking(seed: 1, sky: sky, start: start)
  let seen = tracking.satellites(at: start, elapsed: 1, found: found, heading: 0, skyline: 10)
  let visible = sky.positions(at: start).map(\.elevation).filter { $0 > 5 * .pi / 180 }.sorted(by: >)
  #expect(seen.map(\.position.elevation).sorted(by: >) == Array(visible.prefix(found)))
}

// MARK: The satellites

@Test(
  arguments: [
    (.gps, 6, 5, 55, 1...32), (.glonass, 3, 8, 64.8, 65...88), (.galileo, 3, 9, 56, 1...36),
  ] as [(Constellation, Int, Int, Double, ClosedRange<Int>)])
func `the satellites fly in the planes of their constellation, at the speed of their height`(
  constellation: Constellation, planes: Int, perPlane: Int, inclination: Double, numbers: ClosedRange<Int>
) {
  let orbits = Sky(latitude: 0, longitude: 0).orbits.filter { $0.constellation == constellation }
  #expect(Set(orbits.map(\.number)).count == planes * perPlane && orbits.allSatisfy { numbers.contains($0.number) })
  let nodes = Set(orbits.map(\.node)).sorted()
  #expect(nodes.count == planes && zip(nodes, nodes.dropFirst()).allSatisfy { isEqual($1 - $0, turn / Double(planes)) })
  for node in nodes {
    let phases = orbits.filter { $0.node == node }.map(\.phase)
    #expect(phases.count == perPlane)
    #expect(zip(phases, phases.dropFirst()).allSatisfy { isEqual($1 - $0, turn / Double(perPlane)) })
  }
  for orbit in orbits {
    #expect(isEqual(orbit.inclination, inclination * turn / 360))
    // Kepler's third law, with the gravitational constant of the earth in m³/s². (WGS 84)
    let constant = orbit.motion * orbit.motion * orbit.radius * orbit.radius * orbit.radius
    #expect(abs(constant / 3.986_004_418e14 - 1) < 0.002)
  }
}

private let turn = 2 * Double.pi

private func isEqual(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-9 }

@Test(arguments: [(47.4, 8.5), (-33.9, 151.2), (0, -78.5), (71, -8)])
func `the direction of a satellite follows from the great circle to the point below the satellite`(
  latitude: Double, longitude: Double
) {
  let sky = Sky(latitude: latitude, longitude: longitude)
  let (here, meridian) = (latitude * turn / 360, longitude * turn / 360)
  for seconds in stride(from: 1.79e9, to: 1.79e9 + 86_400, by: 3600) {
    for (orbit, seen) in zip(sky.orbits, sky.positions(at: seconds)) {
      let argument = orbit.phase + orbit.motion * seconds
      // The earth turns once in a sidereal day.
      let node = orbit.node - turn / 86_164.0905 * seconds
      let below = asin(sin(orbit.inclination) * sin(argument))
      let east = node + atan2(cos(orbit.inclination) * sin(argument), cos(argument)) - meridian
      let angle = acos(sin(here) * sin(below) + cos(here) * cos(below) * cos(east))
      let elevation = atan2(cos(angle) - 6_371_000 / orbit.radius, sin(angle))
      let azimuth = atan2(cos(below) * sin(east), cos(here) * sin(below) - sin(here) * cos(below) * cos(east))
      #expect(abs(seen.elevation - elevation) < 1e-3)
      // Near the zenith, the azimuth depends on the last digits of the time.
      #expect(abs((seen.azimuth - azimuth).remainder(dividingBy: turn)) * cos(elevation) < 1e-3)
      #expect((0..<turn).contains(seen.azimuth))
    }
  }
}
