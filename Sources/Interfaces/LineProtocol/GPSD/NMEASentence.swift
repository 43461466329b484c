import Base
import GNSS

/// A type of NMEA 0183 sentence that the gateway can send. The raw value is the name of the sentence without the
/// talker. (NMEA 0183 v4.11)
package enum NMEASentence: String, Hashable, Sendable, CaseIterable {
  /// Position, time, date, speed and course.
  case rmc = "RMC"
  /// Position, quality, count of satellites and altitude.
  case gga = "GGA"
  /// The satellites of the fix, and the dilutions of precision.
  case gsa = "GSA"
  /// The standard deviations of the errors of the position.
  case gst = "GST"
  /// Speed and course.
  case vtg = "VTG"
  /// Time and date.
  case zda = "ZDA"

  /// The types of the sentences for each fix if the configuration selects no types. RMC comes first, because many
  /// programs begin a new fix with RMC.
  package static let usual: [NMEASentence] = [.rmc, .gga, .gsa, .gst]

  /// The NMEA talker identifier of a receiver that uses several constellations.
  private static let talker = "GN"

  /// The RMC sentence of a receiver without a fix. The sentence contains no time.
  package static var noFix: String { line("RMC,,V,,,,,,,,,,N") }

  /// Returns the NMEA sentences of a fix, without line ends; empty if the text is not a fix.
  ///
  /// - Parameters:
  ///   - json: The fix as a JSON text of the line protocol.
  ///   - types: The types of the sentences, in the order in which they are sent.
  package static func lines(of json: String, _ types: [NMEASentence]) -> [String] {
    guard let fix = JSONValue(json.utf8).flatMap(NMEAFix.init) else { return [] }
    return types.flatMap { $0.contents(of: fix) }.map(line)
  }

  private static func line(_ content: String) -> String { NMEAText.sentence(talker + content) }

  /// Returns the sentences of this type for a fix, without the talker at the beginning and without the checksum.
  private func contents(of fix: NMEAFix) -> [String] {
    switch self {
    case .rmc:
      ["RMC,\(fix.time),A,\(fix.position),\(fix.knots),\(fix.course),\(fix.date),,,\(fix.mode)"]
    case .gga:
      [
        "GGA,\(fix.time),\(fix.position),\(fix.quality),\(fix.satelliteCount),\(fix.horizontalDilution),"
          + "\(fix.altitude),M,\(fix.separation),M,,"
      ]
    case .gsa: fix.satelliteGroups.map { "GSA,A,\(fix.dimensions),\($0)" }
    case .gst: ["GST,\(fix.time),,,,,\(fix.axisDeviation),\(fix.axisDeviation),\(fix.verticalDeviation)"]
    case .vtg:
      fix.knots.isEmpty
        ? [] : ["VTG,\(fix.course),T,,M,\(fix.knots),N,\(fix.kilometresPerHour),K,\(fix.mode)"]
    case .zda: fix.calendarDay.map { ["ZDA,\(fix.time),\($0),00,00"] } ?? []
    }
  }
}

/// A fix as the text fields of NMEA sentences. A field is empty if its value is unknown. A fix with reduced accuracy
/// has only a time, a position and a radius.
private struct NMEAFix {
  /// The time of day in UTC, `hhmmss.sss`.
  let time: String
  /// The date in UTC, `ddmmyy`.
  let date: String
  /// The three fields of the date in a ZDA sentence, `dd,mm,yyyy`; nil if the date is unknown.
  let calendarDay: String?
  /// The latitude and longitude as four NMEA fields with commas: each number and its hemisphere.
  let position: String
  let altitude: String
  let separation: String
  let knots: String
  let kilometresPerHour: String
  let course: String
  /// The method of the fix, as the digit in a GGA sentence.
  let quality: Int
  let mode: Character
  let satelliteCount: String
  let dimensions: Int
  let horizontalDilution: String
  let axisDeviation: String
  let verticalDeviation: String
  /// For each GSA sentence, its fields after the dimensions: 12 satellites, three dilutions of precision, and the
  /// number of the constellation.
  let satelliteGroups: [String]

  /// The speed of one knot in metres per second.
  private static let knot = 1852.0 / 3600
  /// The ratio of the 68 % radius to the standard deviation of one axis: √(−2 ln 0.32).
  private static let radius68 = 1.51
  /// The 68 % radius in metres if HDOP is 1. The value applies to a receiver with an error of 3 m for each satellite
  /// (distance root mean square): 1.51 · 3 m / √2.
  private static let radiusOfUnitDilution = 3.2

  init?(_ fix: JSONValue) {
    guard let latitude = fix["lat"]?.number, let longitude = fix["lon"]?.number,
      let radius = HorizontalError(of: fix)?.radius68
    else { return nil }
    func field(_ key: String, decimals: Int, times factor: Double = 1) -> String {
      fix[key]?.number.map { ($0 * factor).decimal(decimals) } ?? ""
    }
    let utc = fix["time"]?.string.flatMap { UTCTime(iso8601: $0) }
    time = utc.map { NMEAText.time($0.timeOfDay, decimals: 3) } ?? ""
    date = utc.map { NMEAText.date($0.date) } ?? ""
    calendarDay = utc.map { "\($0.date.day.digits(2)),\($0.date.month.digits(2)),\($0.date.year)" }
    position = "\(NMEAText.latitude(latitude)),\(NMEAText.longitude(longitude))"
    altitude = field("alt", decimals: 1)
    separation = altitude.isEmpty ? "" : field("geoid", decimals: 1)
    knots = field("speed", decimals: 3, times: 1 / Self.knot)
    kilometresPerHour = field("speed", decimals: 3, times: 3.6)
    course = Self.course(fix["course"]?.number)
    (quality, mode) = Self.method(of: fix)
    // GGA has two digits for the number of satellites.
    satelliteCount = fix["sats"]?.integer(in: 0...999).map { min($0, 99).digits(2) } ?? ""
    dimensions = fix["fix"]?.string == "3d" && !altitude.isEmpty ? 3 : 2
    let horizontal = (fix["hdop"]?.number ?? radius / Self.radiusOfUnitDilution).decimal(2)
    horizontalDilution = horizontal
    // An error is rounded up, so that it is never smaller than the error of the fix.
    axisDeviation = (radius / Self.radius68).decimal(2, .up)
    verticalDeviation = fix["vacc"]?.number?.decimal(2, .up) ?? ""
    let dilutions = "\(field("pdop", decimals: 2)),\(horizontal),\(field("vdop", decimals: 2))"
    satelliteGroups = Self.groups(fix["sky"]?.array ?? [], dilutions)
  }

  /// Returns the method of a fix as the digit in a GGA sentence and the letter in an RMC sentence.
  private static func method(of fix: JSONValue) -> (Int, Character) {
    if fix["coasted"]?.bool == true { return (6, "E") }
    return switch fix["quality"]?.string {
    case "differential": (2, "D")
    case "precise": (3, "P")
    case "rtk-fixed": (4, "R")
    case "rtk-float": (5, "F")
    case "estimated": (6, "E")
    case "manual": (7, "M")
    case "simulator": (8, "S")
    default: (1, "A")
    }
  }

  /// Returns the text of a course of at least 0° and less than 360°; empty if the course is nil.
  private static func course(_ degrees: Double?) -> String {
    let text = degrees?.decimal(2) ?? ""
    return text == "360.00" ? "0.00" : text
  }

  // MARK: Satellites

  /// The maximum count of satellites in a GSA sentence.
  private static let slots = 12

  /// Returns the fields of each GSA sentence: groups of the satellites that the receiver used. If the receiver used no
  /// satellites, the result is one group with the dilutions of precision only.
  private static func groups(_ sky: [JSONValue], _ dilutions: String) -> [String] {
    var used: [Int: [Int]] = [:]
    for satellite in sky where satellite["used"]?.bool == true {
      guard let (system, number) = slot(of: satellite) else { continue }
      used[system, default: []].append(number)
    }
    func group(_ numbers: ArraySlice<Int>, _ system: String) -> String {
      let filled = numbers.map { $0.digits(2) } + Array(repeating: "", count: slots - numbers.count)
      return filled.joined(separator: ",") + ",\(dilutions)\(system)"
    }
    guard !used.isEmpty else { return [group([], "")] }
    return used.sorted { $0.key < $1.key }.flatMap { system, numbers in
      stride(from: 0, to: numbers.count, by: slots).map { start in
        group(numbers.sorted()[start..<min(start + slots, numbers.count)], ",\(system)")
      }
    }
  }

  /// Returns NMEA's number of a satellite's constellation (`system`), and the number of the satellite in this
  /// constellation. Returns nil if NMEA has no numbers for the satellite. (NMEA 0183 v4.11 table 20)
  private static func slot(of satellite: JSONValue) -> (system: Int, number: Int)? {
    guard let number = satellite["id"]?.integer(in: 1...65_535),
      let constellation = satellite["gnss"]?.string.flatMap(Constellation.init(rawValue:))
    else { return nil }
    let numbers = SatelliteNumbers(constellation, number)
    return switch constellation {
    case .gps: (1, numbers.satellite)
    case .sbas: (1, numbers.satellite - 87)
    case .glonass: (2, numbers.satellite + 64)
    case .galileo: (3, numbers.satellite)
    case .beidou: (4, numbers.satellite)
    case .qzss: (5, numbers.satellite)
    case .navic: (6, numbers.satellite)
    }
  }
}
