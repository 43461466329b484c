import Base
import GNSS
import Glibc

/// The data of a simulated receiver for one instant, and its NMEA sentences. The sentences have the format of a u-blox
/// M10 with NMEA 0183 v4.11. (u-blox M10 SPG 5.10 interface description, "NMEA protocol")
struct EpochReport: Sendable {
  struct Solution: Sendable {
    var latitude: Double
    var longitude: Double
    /// The altitude above mean sea level in metres; nil for a two-dimensional fix.
    var altitude: Double?
    /// The height of the geoid (mean sea level) above the WGS 84 ellipsoid, in metres.
    var geoidSeparation: Double
    var speed: Double
    /// The course in degrees from true north, 0..<360.
    var course: Double
    var geometry: Geometry
    var size: ErrorSize
    /// The root mean square of the range residuals in metres. A range is the distance from a satellite to the receiver.
    /// A residual is the measured range minus the predicted range.
    var rangeResidual: Double

    var mode: FixMode { altitude == nil ? .twoDimensional : .threeDimensional }
  }

  /// The identifiers of a constellation in NMEA sentences. `talker` has two letters, `system` is the identifier in
  /// GSA sentences, and `signal` is the identifier in GSV sentences. The signals are L1 C/A (GPS), L1 OF (GLONASS) and
  /// E1 C (Galileo).
  private typealias Identifiers = (constellation: Constellation, talker: String, system: String, signal: String)
  private static let constellations: [Identifiers] = [
    (.gps, "GP", "1", "1"), (.glonass, "GL", "2", "1"), (.galileo, "GA", "3", "7"),
  ]

  /// The time of the position; nil if the receiver does not know the time yet.
  var time: UTCTime?
  var solution: Solution?
  var satellites: [TrackedSatellite]
  /// Whether the receiver knows the directions (elevations and azimuths) of the satellites.
  var knowsSky: Bool

  /// Converts an angle from −π...π radians to 0..<360 degrees.
  static func degrees(_ radians: Double) -> Double {
    let degrees = radians * 180 / .pi
    return degrees < 0 ? degrees + 360 : degrees
  }

  var bytes: [UInt8] {
    var sentences: [[String]] = [["GNRMC"] + rmc, ["GNVTG"] + vtg, ["GNGGA"] + gga]
    sentences += Self.constellations.map { ["GNGSA"] + gsa($0.constellation) + [$0.system] }
    for constellation in Self.constellations { sentences += gsv(constellation) }
    sentences.append(["GNGST"] + gst)
    return sentences.flatMap { Array("\(NMEAText.sentence($0.joined(separator: ",")))\r\n".utf8) }
  }

  private var clock: String { time.map { NMEAText.time($0.timeOfDay, decimals: 2) } ?? "" }
  private var modeIndicator: String { solution == nil ? "N" : "A" }

  private var coordinate: [String] {
    guard let solution else { return ["", "", "", ""] }
    return [NMEAText.latitude(solution.latitude), NMEAText.longitude(solution.longitude)]
  }

  /// Returns the speed in knots and the course in degrees, as texts for NMEA sentences. Below 0.3 m/s, the text of the
  /// course is empty.
  private func motion(_ solution: Solution) -> (knots: String, course: String) {
    (
      (solution.speed * 3600 / 1852).decimal(3),
      solution.speed < 0.3 ? "" : solution.course.angle(2, below: 360)
    )
  }

  private var rmc: [String] {
    let moving = solution.map(motion)
    let day = time.map { NMEAText.date($0.date) } ?? ""
    return [clock, solution == nil ? "V" : "A"] + coordinate
      + [moving?.knots ?? "", moving?.course ?? "", day, "", "", modeIndicator, "V"]
  }

  private var vtg: [String] {
    guard let solution else { return ["", "", "", "", "", "", "", "", "N"] }
    let (knots, course) = motion(solution)
    let kilometres = (solution.speed * 3.6).decimal(3)
    return [course, "T", "", "M", knots, "N", kilometres, "K", "A"]
  }

  private var gga: [String] {
    guard let solution else { return [clock, "", "", "", "", "0", "00", "99.99", "", "", "", "", "", ""] }
    let used = satellites.count { $0.isUsed }
    let height =
      solution.altitude.map { [$0.decimal(1), "M", solution.geoidSeparation.decimal(1), "M"] } ?? ["", "", "", ""]
    return [clock] + coordinate
      + ["1", used.digits(2), solution.geometry.hdop.decimal(2)] + height + ["", ""]
  }

  private func gsa(_ constellation: Constellation) -> [String] {
    let used = satellites.filter { $0.isUsed && $0.constellation == constellation && solution != nil }
    let numbers = used.prefix(12).map { $0.number.digits(2) }
    let unknown = "99.99"
    let mode = solution.map { String($0.mode.rawValue) } ?? "1"
    return ["A", mode] + numbers + [String](repeating: "", count: 12 - numbers.count)
      + [
        solution?.geometry.pdop.decimal(2) ?? unknown,
        solution?.geometry.hdop.decimal(2) ?? unknown,
        solution?.geometry.vdop?.decimal(2) ?? unknown,
      ]
  }

  private func gsv(_ identifiers: Identifiers) -> [[String]] {
    let seen = satellites.filter { $0.constellation == identifiers.constellation }
    let address = identifiers.talker + "GSV"
    if seen.isEmpty { return [[address, "1", "1", "00", "0"]] }
    // Satellites without a signal form a separate group with the signal id 0.
    let groups = [(identifiers.signal, seen.filter { $0.strength != nil }), ("0", seen.filter { $0.strength == nil })]
    return groups.flatMap { signal, group in
      let parts = (group.count + 3) / 4
      return (0..<parts).map { part in
        let rows = group[(part * 4)..<min(part * 4 + 4, group.count)].flatMap(row)
        return [address, String(parts), String(part + 1), group.count.digits(2)] + rows + [signal]
      }
    }
  }

  /// Returns the four fields of a satellite in a GSV sentence: satellite number, elevation, azimuth and signal
  /// strength.
  private func row(_ satellite: TrackedSatellite) -> [String] {
    let elevation = Int((satellite.position.elevation * 180 / .pi).rounded())
    let azimuth = Int(Self.degrees(satellite.position.azimuth).rounded()) % 360
    return [
      satellite.number.digits(2), knowsSky ? elevation.digits(2) : "", knowsSky ? azimuth.digits(3) : "",
      satellite.strength?.digits(2) ?? "",
    ]
  }

  private var gst: [String] {
    guard let solution else { return [clock, "", "", "", "", "", "", ""] }
    let (major, minor, orientation) = solution.size.ellipse
    return [clock]
      + [solution.rangeResidual, major, minor].map { $0.decimal(2) }
      + [orientation.angle(1, below: 180)]
      + [solution.size.north, solution.size.east].map { $0.decimal(2) }
      + [solution.size.up?.decimal(2) ?? ""]
  }
}

extension Double {
  /// Returns an angle as a text with a count of decimals. An angle that is rounded to `end` becomes 0.
  fileprivate func angle(_ decimals: Int, below end: Double) -> String {
    let text = decimal(decimals)
    return text == end.decimal(decimals) ? 0.0.decimal(decimals) : text
  }
}
