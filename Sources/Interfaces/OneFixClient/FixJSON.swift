import Base
import GNSS
public import LineProtocol

extension FixReport {
  /// Creates a report from the JSON text of a fix in the line protocol. Throws `ClientError.unexpected` if the text is
  /// not a fix, or contains neither a position nor the name of a place.
  public init(json: String) throws(ClientError) {
    guard let members = JSONValue(json.utf8), let fix = try? FixReport(members) else {
      throw ClientError.unexpected("the fix lacks required fields")
    }
    self = fix
  }

  private init?(_ json: JSONValue) throws(JSONMemberError) {
    func text(_ key: String) throws(JSONMemberError) -> String? { try json.member(key) }
    guard let accuracy = FixAccuracy(rawValue: try json.member("accuracy")) else { return nil }
    if accuracy == .place {
      guard let time = try text("time").flatMap({ UTCTime(iso8601: $0) }) else { return nil }
      self.init(place: try json.member("place"), time: time)
      return
    }
    guard let coordinate = Coordinate(latitude: try json.member("lat"), longitude: try json.member("lon")) else {
      return nil
    }
    self.init(coordinate: coordinate, horizontalAccuracy: try json.member("hacc"), accuracy: accuracy)
    time = try text("time").flatMap { UTCTime(iso8601: $0) }
    measured = try text("measured").flatMap { UTCTime(iso8601: $0) }
    altitude = try json.member("alt")
    verticalAccuracy = try json.member("vacc")
    speed = try json.member("speed")
    speedAccuracy = try json.member("sacc")
    course = try json.member("course")
    courseAccuracy = try json.member("cacc")
    mode = try text("fix").flatMap { FixMode(name: $0) }
    satellites = try json.member("sats")
    age = (try json.member("age_ms") as Int?).map(Int64.init)
    geoidSeparation = try json.member("geoid")
    dilutionOfPrecision = DilutionOfPrecision(
      horizontal: try json.member("hdop"), vertical: try json.member("vdop"), position: try json.member("pdop"))
    quality = try text("quality").flatMap { FixQuality(name: $0) }
    isCoasted = try json.member("coasted") ?? false
    suspicion = try text("suspect").flatMap { SignalSuspicion(rawValue: $0) }
  }
}
