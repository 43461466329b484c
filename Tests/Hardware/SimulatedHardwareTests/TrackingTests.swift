import GNSS
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
