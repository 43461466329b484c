import Base
import GNSS
import SeededNumbers

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@testable import Cloaking

/// A device with a cloak, with controllable clocks and restarts. Its daemon saves the memory of the cloak whenever an app
/// receives a fix.
struct Device {
  let key: CloakKey
  var cloak: Cloak
  /// The seconds since the boot and since 1970. They may disagree.
  var uptime = 0.0
  var wallClock: Double
  private var boot = 1
  private var saved: [UInt8]
  /// The end of the slot of the latest answer.
  private var slotEnd = MonotonicInstant(nanoseconds: 0)
  private let coarsensTravel: Bool

  init(
    seed: UInt64, wallClock: Double = 1_795_246_294, coarsensTravel: Bool = false, mechanism: Mechanism = .shared
  ) throws {
    key = try CloakKey(deviceKey: (0..<32).map { UInt8(truncatingIfNeeded: seed &* 0x9E37_79B9_7F4A_7C15 >> $0) })
    let memory = Cloak.Memory(mechanism: mechanism)
    saved = memory.encoded()
    cloak = Cloak(key: key, memory: memory, boot: "1", coarsensTravel: coarsensTravel)
    self.wallClock = wallClock
    self.coarsensTravel = coarsensTravel
  }

  var instant: MonotonicInstant { MonotonicInstant(nanoseconds: Int64(uptime * 1e9)) }
  var utc: UTCTime { UTCTime(nanosecondsSince1970: Int64(wallClock * 1e9)) }

  /// Asks by a press. Returns nil if the request must wait.
  mutating func answer(_ coordinate: Coordinate, speed: Double? = nil) -> ReducedFix? {
    let fix = cloak.reduce(coordinate, speed: speed, at: instant, utc: utc)
    if fix != nil { saved = cloak.memory.encoded() }
    slotEnd = cloak.slotEnd ?? instant
    return fix
  }

  /// Asks by a press in a slot that began in this boot.
  mutating func ask(_ coordinate: Coordinate, speed: Double? = nil) -> ReducedFix { answer(coordinate, speed: speed)! }

  mutating func wait(_ seconds: Double) {
    uptime += seconds
    wallClock += seconds
  }

  /// Waits for the next slot, at least for 900 s, and requests a fix.
  mutating func nextSlot(_ coordinate: Coordinate, speed: Double? = nil) -> ReducedFix {
    wait(max(900, (slotEnd - instant) / .seconds(1) + 1e-6))
    return ask(coordinate, speed: speed)
  }

  /// Restarts the daemon after a crash.
  mutating func restart() throws {
    let memory = Cloak.Memory(encoded: saved)
    struct NotDecoded: Error {}
    guard let memory else { throw NotDecoded() }
    cloak = Cloak(key: key, memory: memory, boot: "\(boot)", coarsensTravel: coarsensTravel)
  }

  /// Restarts the machine after a power cut.
  mutating func reboot(uptime: Double = 0) throws {
    boot += 1
    self.uptime = uptime
    try restart()
  }
}

extension Coordinate {
  static let munich = Coordinate(latitude: 48.1374, longitude: 11.5755)!

  /// Returns the position at an offset in metres over the ground, also across poles and the antimeridian. It is a
  /// rotation of the sphere and shares no code with the module, so that it does not repeat the module's mistakes.
  func moved(east: Double, north: Double) -> Coordinate {
    let metresPerDegree = 111_000.0
    let distance = (east * east + north * north).squareRoot() / metresPerDegree * .pi / 180
    guard distance > 0 else { return self }
    let azimuth = atan2(east, north)
    let from = (latitude * .pi / 180, longitude * .pi / 180)
    let sine = sin(from.0) * cos(distance) + cos(from.0) * sin(distance) * cos(azimuth)
    let latitude = asin(min(1, max(-1, sine)))
    let turn = atan2(sin(azimuth) * sin(distance) * cos(from.0), cos(distance) - sin(from.0) * sin(latitude))
    let degrees = (from.1 + turn) * 180 / .pi
    return Coordinate(latitude: latitude * 180 / .pi, longitude: degrees - (degrees / 360).rounded() * 360)!
  }

  /// Returns the distance in metres by the haversine formula.
  func distance(to other: Coordinate) -> Double {
    let (a, b) = (latitude * .pi / 180, other.latitude * .pi / 180)
    let turn = (other.longitude - longitude) * .pi / 180
    let h = sin((b - a) / 2) * sin((b - a) / 2) + cos(a) * cos(b) * sin(turn / 2) * sin(turn / 2)
    return 2 * asin(min(1, h.squareRoot())) * 180 / .pi * 111_000
  }
}

extension ReducedFix {
  var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude)! }
}

extension SplitMix64 {
  mutating func metres(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

  /// Returns a random position on the earth, uniform by area.
  mutating func position() -> Coordinate {
    Coordinate(
      latitude: asin(Double.random(in: -1...1, using: &self)) * 180 / .pi,
      longitude: Double.random(in: -180...180, using: &self))!
  }

  /// Returns a random position within 20 km of Munich along each axis.
  mutating func positionInTown() -> Coordinate {
    Coordinate.munich.moved(east: metres(-20_000...20_000), north: metres(-20_000...20_000))
  }
}
