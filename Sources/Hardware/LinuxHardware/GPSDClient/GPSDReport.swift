import Base
import GNSS

/// A report of the program gpsd, parsed from one text line of JSON. (gpsd_json(5), gpsd 3.22 and 3.25)
enum GPSDReport: Hashable, Sendable {
  case version(String)
  case position(TPV)
  case sky(SKY)
  case errors(GST)
  /// A report with another value of `class`, which the gateway does not use.
  case other

  init?(line: some Sequence<UInt8>) {
    guard let json = JSONValue(line), let kind = json["class"]?.string else { return nil }
    switch kind {
    case "VERSION": self = .version(json["release"]?.string ?? "")
    case "TPV": self = .position(TPV(json))
    case "SKY": self = .sky(SKY(json))
    case "GST": self = .errors(GST(json))
    default: self = .other
    }
  }
}

extension JSONValue {
  /// The time of the report; nil if the report has no valid time, or if the year is not 1980...2261. GPS time begins in
  /// 1980, and 64-bit nanoseconds since 1970 end in 2262.
  fileprivate var time: UTCTime? {
    self["time"]?.string.flatMap { UTCTime(iso8601: $0) }.flatMap { (1980...2261).contains($0.date.year) ? $0 : nil }
  }

  /// Returns the number for a key of the report. The result is nil if the number is missing, negative, or more than
  /// 10^7 (10,000 km for a length).
  fileprivate func size(_ name: String) -> Double? {
    self[name]?.number.flatMap { (0...1e7).contains($0) ? $0 : nil }
  }

  fileprivate func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
    self[name]?.number.flatMap { range.contains($0) ? $0 : nil }
  }
}

/// The gpsd report TPV: time, position and velocity of a receiver.
struct TPV: Hashable, Sendable {
  var device: String?
  var time: UTCTime?
  /// The dimension of the fix (two- or three-dimensional); nil without a fix.
  var mode: FixMode?
  var quality: FixQuality
  var coordinate: Coordinate?
  /// The altitude above mean sea level in metres; nil if unknown.
  var altitude: Double?
  var geoidSeparation: Double?
  /// The speed over ground in m/s; nil if unknown.
  var speed: Double?
  /// The course over ground in degrees from true north, 0..<360; nil if unknown.
  var course: Double?
  /// The errors of the position in metres: `eph` and `epv`. gpsd does not state their probability. Nil if unknown.
  var horizontalError, verticalError: Double?

  init(_ json: JSONValue) {
    device = json["device"]?.string
    time = json.time
    horizontalError = json.size("eph")
    verticalError = json.size("epv")
    mode = json["mode"]?.integer(in: 2...3).flatMap(FixMode.init)
    if mode != nil, let latitude = json["lat"]?.number, let longitude = json["lon"]?.number {
      coordinate = Coordinate(latitude: latitude, longitude: longitude)
    }
    quality = coordinate == nil ? .invalid : TPV.quality(json["status"])
    // Up to release 3.20, gpsd sent only `alt`, which has the same meaning as `altMSL`.
    altitude = json.number("altMSL", in: -20_000...1e7) ?? json.number("alt", in: -20_000...1e7)
    geoidSeparation = json.number("geoidSep", in: -200...200)
    speed = json.size("speed")
    course = json.number("track", in: 0...360).map { $0 == 360 ? 0 : $0 }
  }

  private static func quality(_ status: JSONValue?) -> FixQuality {
    switch status?.integer(in: 0...9) {
    case 2: .differential
    case 3: .rtkFixed
    case 4: .rtkFloat
    case 5: .estimated
    case 7: .manual
    case 8: .simulator
    case 9: .precise
    // Missing and unlisted statuses stand for a normal fix, or for a fix from satellites and dead reckoning.
    default: .autonomous
    }
  }
}

/// The gpsd report SKY: the satellites and the dilutions of precision of a receiver.
struct SKY: Hashable, Sendable {
  var device: String?
  var dilution: DilutionOfPrecision
  var satellites: [Satellite]?
  var satellitesUsed: Int?

  init(_ json: JSONValue) {
    device = json["device"]?.string
    func dilution(_ name: String) -> Double? { json.number(name, in: 0.01...1e6) }
    self.dilution = DilutionOfPrecision(
      horizontal: dilution("hdop"), vertical: dilution("vdop"), position: dilution("pdop"))
    satellites = json["satellites"]?.array.map { $0.compactMap(SKY.satellite) }
    satellitesUsed = json["uSat"]?.integer(in: 0...999) ?? satellites.map { $0.count { $0.isUsed == true } }
  }

  private static func satellite(_ json: JSONValue) -> Satellite? {
    let constellation = json["gnssid"]?.integer.flatMap(Constellation.init(gnssID:))
    guard let number = json["svid"]?.integer(in: 1...999) ?? json["PRN"]?.integer(in: 1...999) else { return nil }
    func whole(_ name: String, in range: ClosedRange<Double>) -> Int? {
      json.number(name, in: range).map { Int($0.rounded()) }
    }
    return Satellite(
      constellation: constellation, number: number, elevation: whole("el", in: -90...90),
      azimuth: whole("az", in: 0...360).map { $0 % 360 }, signalStrength: whole("ss", in: 1...99),
      isUsed: json["used"]?.bool)
  }
}

struct GST: Hashable, Sendable {
  var device: String?
  var time: UTCTime?
  var errors: ErrorStatistics

  init(_ json: JSONValue) {
    device = json["device"]?.string
    time = json.time
    errors = ErrorStatistics(latitude: json.size("lat"), longitude: json.size("lon"), altitude: json.size("alt"))
  }
}
