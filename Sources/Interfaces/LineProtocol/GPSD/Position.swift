import GNSS

/// The gpsd reports of one fix: the position (TPV) and the satellites (SKY).
struct Position: Hashable, Sendable {
  /// The position report (TPV) as JSON, with gpsd's units and definitions.
  let tpv: String
  /// The report of the satellites (SKY) as JSON, for the same instant; nil if the fix contains no satellites.
  let sky: String?
  /// The time of the fix in ISO 8601; nil if the receiver reports no dates.
  let time: String?

  /// Creates the reports from the JSON text of a fix; nil if the text is not a fix with a position.
  init?(json: String) {
    guard let fix = JSONValue(json.utf8), let latitude = fix["lat"]?.number, let longitude = fix["lon"]?.number else {
      return nil
    }
    time = fix["time"]?.string
    // Clients before gpsd 3.20 read `alt`. `altHAE` is the height above the ellipsoid.
    let altitude = fix["alt"]?.number
    let separation = altitude.flatMap { _ in fix["geoid"]?.number }
    let radius = HorizontalError(of: fix)?.radius95
    let axis = radius.map { Position.rounded($0 * Position.axis) }
    func scaled(_ key: String) -> Double? { fix[key]?.number.map { Position.rounded($0 * Position.interval95) } }
    tpv = JSONObject.text([
      "class": "TPV", "device": GPSDReply.device, "status": Position.status(of: fix),
      "mode": fix["fix"]?.string == "3d" ? 3 : 2, "time": time, "lat": latitude, "lon": longitude,
      "altHAE": altitude.flatMap { altitude in separation.map { Position.rounded(altitude + $0) } },
      "altMSL": altitude, "alt": altitude, "geoidSep": separation, "track": fix["course"]?.number,
      "speed": fix["speed"]?.number, "epx": axis, "epy": axis, "eph": radius.map(Position.rounded),
      "epv": scaled("vacc"), "epd": scaled("cacc"), "eps": scaled("sacc"),
    ])
    // A receiver that sends no GSV reports no satellites, although it uses some.
    sky = fix["sky"]?.array.flatMap { $0.isEmpty ? nil : Position.sky($0, of: fix) }
  }

  // gpsd's error estimates have a confidence of 95 % (gpsd.h, GPSD_CONFIDENCE: standard deviations times 2.45),
  // although its documents state "certainty unknown". The gateway's error estimates in one dimension have a confidence
  // of 68 %.

  /// The factor from the 95 % radius to half the width of the 95 % interval on one axis: 1.960 / √(−2 ln 0.05).
  static let axis = 0.8007
  /// The factor from the 68 % interval to the 95 % interval, for a one-dimensional normal distribution: 1.960 / 0.9945.
  static let interval95 = 1.9708

  /// Returns a value in metres, rounded up to millimetres.
  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded(.up) / 1000 }

  /// Returns gpsd's number for the status of a fix; nil for an ordinary fix, for which gpsd sends no status.
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
    JSONObject.text([
      "class": "SKY", "device": GPSDReply.device, "time": fix["time"]?.string, "hdop": fix["hdop"]?.number,
      "vdop": fix["vdop"]?.number, "pdop": fix["pdop"]?.number, "nSat": satellites.count,
      "uSat": satellites.count { $0["used"]?.bool == true },
      "satellites": satellites.compactMap(satellite),
    ])
  }

  private static func satellite(_ json: JSONValue) -> JSONObject? {
    guard let number = json["id"]?.integer(in: 0...65_535) else { return nil }
    let numbers = json["gnss"]?.string.flatMap(Constellation.init(rawValue:)).map { SatelliteNumbers($0, number) }
    return [
      "PRN": numbers?.prn ?? number, "gnssid": numbers?.gnss, "svid": numbers?.satellite, "el": json["el"]?.number,
      "az": json["az"]?.number, "ss": json["ss"]?.number, "used": json["used"]?.bool ?? false,
    ]
  }
}

/// The identifiers of a satellite in gpsd's reports: `gnss` is the number of its constellation, and `satellite` its
/// number within the constellation, as in u-blox receivers. `prn` is unique among all constellations. (gpsd_json(5),
/// SKY)
struct SatelliteNumbers: Hashable, Sendable {
  let gnss: Int
  let satellite: Int
  let prn: Int

  /// Creates the identifiers of a satellite.
  /// - Parameter number: The satellite's number in the receiver's report. Receivers differ in the first number of a
  ///   constellation: the first GLONASS satellite is number 1 or 65.
  init(_ constellation: Constellation, _ number: Int) {
    func within(_ bases: Int...) -> Int { number - (bases.first { number > $0 } ?? 0) }
    gnss = constellation.gnssID
    switch constellation {
    case .gps: (satellite, prn) = (number, number)
    // SBAS satellites have the numbers (PRN) 120...158. NMEA uses 33...71 for them.
    case .sbas:
      satellite = number < 100 ? number + 87 : number
      prn = satellite
    case .galileo:
      satellite = within(300)
      prn = satellite + 300
    case .beidou:
      satellite = within(400, 200)
      prn = satellite + 400
    case .qzss:
      satellite = within(192)
      prn = satellite + 192
    case .glonass:
      satellite = within(64)
      prn = satellite + 64
    case .navic: (satellite, prn) = (number, number + 500)
    }
  }
}
