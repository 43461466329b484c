import Clocks
import FoundationEssentials
import GNSS
public import LineProtocol

/// The JSON members of a fix in the line protocol.
private struct FixMembers: Decodable {
  var time: String?
  var lat: Double
  var lon: Double
  var hacc: Double
  var alt: Double?
  var vacc: Double?
  var speed: Double?
  var sacc: Double?
  var course: Double?
  var cacc: Double?
  var fix: String?
  var sats: Int?
  var accuracy: String
  var age_ms: Int64?
  var geoid: Double?
  var hdop: Double?
  var pdop: Double?
  var vdop: Double?
  var quality: String?
  var coasted: Bool?
}

extension FixReport {
  /// Parses a fix of the line protocol.
  ///
  /// - Parameter json: One JSON object.
  /// - Throws: `ClientError.unexpected` if the text is not a fix or has no position.
  public init(json: String) throws(ClientError) {
    guard let members = try? JSONDecoder().decode(FixMembers.self, from: Data(json.utf8)),
      let coordinate = Coordinate(latitude: members.lat, longitude: members.lon),
      let accuracy = FixAccuracy(rawValue: members.accuracy)
    else { throw ClientError.unexpected("the fix lacks required fields") }
    self.init(coordinate: coordinate, horizontalAccuracy: members.hacc, accuracy: accuracy)
    time = members.time.flatMap { UTCTime(iso8601: $0) }
    altitude = members.alt
    verticalAccuracy = members.vacc
    speed = members.speed
    speedAccuracy = members.sacc
    course = members.course
    courseAccuracy = members.cacc
    mode = members.fix.flatMap { FixMode(name: $0) }
    satellites = members.sats
    age = members.age_ms
    geoidSeparation = members.geoid
    dilutionOfPrecision = DilutionOfPrecision(
      horizontal: members.hdop, vertical: members.vdop, position: members.pdop)
    quality = members.quality.flatMap { FixQuality(name: $0) }
    isCoasted = members.coasted ?? false
  }
}
