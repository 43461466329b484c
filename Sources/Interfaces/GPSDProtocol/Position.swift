import LineProtocol

/// A fix of the gateway in gpsd's form.
struct Position: Hashable, Sendable {
  /// The TPV report, with gpsd's units and definitions.
  let tpv: String
  /// The SKY report with the satellites of the same epoch; nil if the fix contains no satellites.
  let sky: String?
  /// The time in ISO 8601; nil if the receiver reports no dates.
  let time: String?

  /// Creates the reports from the JSON of a fix. Returns nil if the JSON is not a fix.
  init?(json: String) {
    guard let fix = JSONValue(json.utf8), let latitude = fix["lat"]?.number, let longitude = fix["lon"]?.number else {
      return nil
    }
    time = fix["time"]?.string
    var object = GPSDReply.object("TPV")
    object.add("device", GPSDReply.device)
    object.add("status", Position.status(of: fix))
    object.add("mode", fix["fix"]?.string == "3d" ? 3 : 2)
    object.add("time", time)
    object.add("lat", latitude)
    object.add("lon", longitude)
    Position.addHeights(of: fix, to: &object)
    object.add("track", fix["course"]?.number)
    object.add("speed", fix["speed"]?.number)
    if let radius = fix["hacc"]?.number {
      object.add("epx", Position.rounded(radius * Position.axis95))
      object.add("epy", Position.rounded(radius * Position.axis95))
      object.add("eph", Position.rounded(radius * Position.radius95))
    }
    object.add("epv", fix["vacc"]?.number.map { Position.rounded($0 * Position.interval95) })
    object.add("epd", fix["cacc"]?.number.map { Position.rounded($0 * Position.interval95) })
    object.add("eps", fix["sacc"]?.number.map { Position.rounded($0 * Position.interval95) })
    tpv = object.text
    sky = fix["sky"]?.array.map { Position.sky($0, of: fix) }
  }

  // gpsd's error estimates have a confidence of 95 %: gpsd multiplies standard deviations by 2.45 (gpsd.h,
  // GPSD_CONFIDENCE), although its documents state "certainty unknown". The gateway's error estimates have a confidence
  // of 68 %, so they need the following factors.

  /// The factor from the radius of the 68 % circle to the radius of the 95 % circle, for a two-dimensional normal
  /// distribution: √(ln 0.05 / ln 0.32).
  static let radius95 = 1.6215
  /// The factor from the radius of the 68 % circle to half the width of the 95 % interval on one axis: 1.960 / √(−2 ln
  /// 0.32).
  static let axis95 = 1.2983
  /// The factor from the 68 % interval to the 95 % interval, for a one-dimensional normal distribution: 1.960 / 0.9945.
  static let interval95 = 1.9708

  /// Returns a value in metres, rounded up to millimetres.
  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded(.up) / 1000 }

  /// Adds the altitudes. `altHAE` is the height above the ellipsoid, and `altMSL` the height above mean sea level.
  /// Clients older than gpsd 3.20 read `alt` instead.
  private static func addHeights(of fix: JSONValue, to object: inout JSONObject) {
    guard let altitude = fix["alt"]?.number else { return }
    let separation = fix["geoid"]?.number
    object.add("altHAE", separation.map { rounded(altitude + $0) })
    object.add("altMSL", altitude)
    object.add("alt", altitude)
    object.add("geoidSep", separation)
  }

  /// Returns gpsd's number for the status of a fix; nil for an ordinary fix, because gpsd sends no status for it.
  private static func status(of fix: JSONValue) -> Int? {
    if fix["coasted"]?.bool == true { return 5 }
    return switch fix["quality"]?.string {
    case "differential": 2
    case "rtk-fixed": 3
    case "rtk-float": 4
    case "estimated": 5
    case "manual": 7
    case "simulator": 8
    case "precise": 9
    default: nil
    }
  }

  private static func sky(_ satellites: [JSONValue], of fix: JSONValue) -> String {
    var object = GPSDReply.object("SKY")
    object.add("device", GPSDReply.device)
    object.add("time", fix["time"]?.string)
    object.add("hdop", fix["hdop"]?.number)
    object.add("vdop", fix["vdop"]?.number)
    object.add("pdop", fix["pdop"]?.number)
    object.add("nSat", satellites.count)
    object.add("uSat", satellites.count { $0["used"]?.bool == true })
    object.add("satellites", json: "[" + satellites.compactMap(satellite).joined(separator: ",") + "]")
    return object.text
  }

  private static func satellite(_ json: JSONValue) -> String? {
    guard let number = json["id"]?.integer(in: 0...65_535) else { return nil }
    let numbers = json["gnss"]?.string.flatMap { SatelliteNumbers(constellation: $0, number: number) }
    var object = JSONObject()
    object.add("PRN", numbers?.prn ?? number)
    object.add("gnssid", numbers?.gnss)
    object.add("svid", numbers?.satellite)
    object.add("el", json["el"]?.number)
    object.add("az", json["az"]?.number)
    object.add("ss", json["ss"]?.number)
    object.add("used", json["used"]?.bool ?? false)
    return object.text
  }
}

/// The numbers of a satellite in gpsd's reports. `gnss` is the number of the satellite's system, and `satellite` is its
/// number within the system, both as u-blox assigns them. `prn` is unique across all systems. (gpsd_json(5), SKY)
struct SatelliteNumbers: Hashable, Sendable {
  let gnss: Int
  let satellite: Int
  let prn: Int

  /// - Parameter number: The satellite's number in the receiver's report. For some systems, some receivers number the
  ///   satellites from 1, and other receivers from a larger number, for example from 65 for GLONASS.
  init?(constellation: String, number: Int) {
    func within(_ bases: Int...) -> Int { number - (bases.first { number > $0 } ?? 0) }
    switch constellation {
    case "gps": (gnss, satellite, prn) = (0, number, number)
    // SBAS satellites have the numbers (PRN) 120...158. NMEA uses 33...71 for them.
    case "sbas":
      gnss = 1
      satellite = number < 100 ? number + 87 : number
      prn = satellite
    case "galileo":
      (gnss, satellite) = (2, within(300))
      prn = satellite + 300
    case "beidou":
      (gnss, satellite) = (3, within(400, 200))
      prn = satellite + 400
    case "qzss":
      (gnss, satellite) = (5, within(192))
      prn = satellite + 192
    case "glonass":
      (gnss, satellite) = (6, within(64))
      prn = satellite + 64
    case "navic":
      (gnss, satellite) = (7, number)
      prn = number + 500
    default: return nil
    }
  }
}
