import Clocks
import GNSS
import Glibc

/// The state of the simulated receiver at an epoch, as the sentences of a u-blox M10 with NMEA 0183 v4.11. (u-blox M10
/// SPG 5.10 interface description, "NMEA protocol")
struct EpochReport: Sendable {
  struct Solution: Sendable {
    var latitude: Double
    var longitude: Double
    /// The altitude in metres above mean sea level; nil for a two-dimensional fix.
    var altitude: Double?
    /// The height of the geoid above the ellipsoid in metres.
    var geoidSeparation: Double
    var speed: Double
    /// The course in degrees from true north, 0..<360.
    var course: Double
    var geometry: Geometry
    var size: ErrorSize
    /// The root mean square of the range residuals in metres.
    var rangeResidual: Double

    var mode: FixMode { altitude == nil ? .twoDimensional : .threeDimensional }
  }

  /// For each system: the talker, the system id in GSA, and the signal id in GSV. The signals are L1 C/A (GPS), L1 OF
  /// (GLONASS) and E1 C (Galileo).
  private static let systems: [(constellation: Constellation, talker: String, system: String, signal: String)] = [
    (.gps, "GP", "1", "1"), (.glonass, "GL", "2", "1"), (.galileo, "GA", "3", "7"),
  ]

  /// The time; nil if the receiver does not know it yet.
  var time: UTCTime?
  var solution: Solution?
  var satellites: [TrackedSatellite]
  /// Whether the receiver knows the elevations and azimuths of the satellites.
  var knowsSky: Bool

  /// Converts radians to degrees, 0..<360.
  static func degrees(_ radians: Double) -> Double {
    let degrees = radians * 180 / .pi
    return degrees < 0 ? degrees + 360 : degrees
  }

  func bytes(sendsGLL: Bool, sendsZDA: Bool) -> [UInt8] {
    var writer = SentenceWriter()
    writer.write("GNRMC", rmc)
    writer.write("GNVTG", vtg)
    writer.write("GNGGA", gga)
    for system in Self.systems { writer.write("GNGSA", gsa(system.constellation) + [system.system]) }
    for system in Self.systems { writeGSV(system, to: &writer) }
    if sendsGLL { writer.write("GNGLL", coordinate + [clock, solution == nil ? "V" : "A", modeIndicator]) }
    writer.write("GNGST", gst)
    if sendsZDA { writer.write("GNZDA", zda) }
    return writer.bytes
  }

  private var clock: String { time.map { SentenceWriter.time($0.timeOfDay) } ?? "" }
  private var modeIndicator: String { solution == nil ? "N" : "A" }

  private var coordinate: [String] {
    guard let solution else { return ["", "", "", ""] }
    return SentenceWriter.angle(solution.latitude, degreeDigits: 2, positive: "N", negative: "S")
      + SentenceWriter.angle(solution.longitude, degreeDigits: 3, positive: "E", negative: "W")
  }

  /// Returns the texts of the speed in knots and of the course in degrees. Below 0.3 m/s, the course is empty.
  private func motion(_ solution: Solution) -> (knots: String, course: String) {
    (
      SentenceWriter.decimal(solution.speed * 3600 / 1852, places: 3),
      solution.speed < 0.3 ? "" : SentenceWriter.decimal(solution.course.rounded(to: 100, below: 360), places: 2)
    )
  }

  private var rmc: [String] {
    let moving = solution.map(motion)
    let day = time.map { SentenceWriter.date($0.date) } ?? ""
    return [clock, solution == nil ? "V" : "A"] + coordinate
      + [moving?.knots ?? "", moving?.course ?? "", day, "", "", modeIndicator, "V"]
  }

  private var vtg: [String] {
    guard let solution else { return ["", "", "", "", "", "", "", "", "N"] }
    let (knots, course) = motion(solution)
    let kilometres = SentenceWriter.decimal(solution.speed * 3.6, places: 3)
    return [course, "T", "", "M", knots, "N", kilometres, "K", "A"]
  }

  private var gga: [String] {
    guard let solution else { return [clock, "", "", "", "", "0", "00", "99.99", "", "", "", "", "", ""] }
    let used = satellites.count { $0.isUsed }
    let height =
      solution.altitude.map {
        [
          SentenceWriter.decimal($0, places: 1), "M", SentenceWriter.decimal(solution.geoidSeparation, places: 1), "M",
        ]
      } ?? ["", "", "", ""]
    return [clock] + coordinate
      + ["1", SentenceWriter.integer(used, width: 2), SentenceWriter.decimal(solution.geometry.hdop, places: 2)]
      + height + ["", ""]
  }

  private func gsa(_ constellation: Constellation) -> [String] {
    let used = satellites.filter { $0.isUsed && $0.constellation == constellation && solution != nil }
    let numbers = used.prefix(12).map { SentenceWriter.integer($0.number, width: 2) }
    let unknown = "99.99"
    let mode = solution.map { String($0.mode.rawValue) } ?? "1"
    return ["A", mode] + numbers + [String](repeating: "", count: 12 - numbers.count)
      + [
        solution.map { SentenceWriter.decimal($0.geometry.pdop, places: 2) } ?? unknown,
        solution.map { SentenceWriter.decimal($0.geometry.hdop, places: 2) } ?? unknown,
        solution?.geometry.vdop.map { SentenceWriter.decimal($0, places: 2) } ?? unknown,
      ]
  }

  private func writeGSV(
    _ system: (constellation: Constellation, talker: String, system: String, signal: String),
    to writer: inout SentenceWriter
  ) {
    let seen = satellites.filter { $0.constellation == system.constellation }
    let address = system.talker + "GSV"
    // Satellites without a signal form a separate group with the signal id 0.
    let groups = [(system.signal, seen.filter { $0.strength != nil }), ("0", seen.filter { $0.strength == nil })]
    for (signal, group) in groups where !group.isEmpty {
      let parts = (group.count + 3) / 4
      for part in 0..<parts {
        let rows = group[(part * 4)..<min(part * 4 + 4, group.count)].flatMap(row)
        writer.write(
          address, [String(parts), String(part + 1), SentenceWriter.integer(group.count, width: 2)] + rows + [signal])
      }
    }
    if seen.isEmpty { writer.write(address, ["1", "1", "00", "0"]) }
  }

  /// Returns the GSV fields of a satellite: number, elevation, azimuth and signal strength.
  private func row(_ satellite: TrackedSatellite) -> [String] {
    let elevation = Int((satellite.position.elevation * 180 / .pi).rounded())
    let azimuth = Int(Self.degrees(satellite.position.azimuth).rounded()) % 360
    return [
      SentenceWriter.integer(satellite.number, width: 2),
      knowsSky ? SentenceWriter.integer(elevation, width: 2) : "",
      knowsSky ? SentenceWriter.integer(azimuth, width: 3) : "",
      satellite.strength.map { SentenceWriter.integer($0, width: 2) } ?? "",
    ]
  }

  private var gst: [String] {
    guard let solution else { return [clock, "", "", "", "", "", "", ""] }
    let (major, minor, orientation) = solution.size.ellipse
    return [clock]
      + [solution.rangeResidual, major, minor].map { SentenceWriter.decimal($0, places: 2) }
      + [SentenceWriter.decimal(orientation.rounded(to: 10, below: 180), places: 1)]
      + [solution.size.north, solution.size.east].map { SentenceWriter.decimal($0, places: 2) }
      + [solution.size.up.map { SentenceWriter.decimal($0, places: 2) } ?? ""]
  }

  private var zda: [String] {
    guard let date = time?.date else { return ["", "", "", "", "00", "00"] }
    return [
      clock, SentenceWriter.integer(date.day, width: 2), SentenceWriter.integer(date.month, width: 2),
      SentenceWriter.integer(date.year, width: 4), "00", "00",
    ]
  }
}

extension Double {
  /// Returns an angle, rounded to a multiple of 1/scale. An angle of `end` becomes 0.
  fileprivate func rounded(to scale: Double, below end: Double) -> Double {
    let value = (self * scale).rounded() / scale
    return value >= end ? 0 : value
  }
}
