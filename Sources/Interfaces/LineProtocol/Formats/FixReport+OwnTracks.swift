package import Base
import GNSS

extension FixReport {
  /// Returns the fix as the members of the message `location` of OwnTracks (OwnTracks Booklet, "JSON"). Returns nil
  /// without a position, because OwnTracks has no names of places.
  ///
  /// A fix with reduced accuracy has only its position, the radius of the position, and the quarter hour of the
  /// measurement.
  ///
  /// - Parameters:
  ///   - tracker: The two characters that a map shows for the device.
  ///   - isByPress: Whether a press of the button permitted the fix.
  ///   - disclosed: The time at which the fix is sent, which is also the time of a fix whose receiver reports no dates.
  package func ownTracks(tracker: String, isByPress: Bool, disclosed: UTCTime) -> JSONObject? {
    guard let coordinate else { return nil }
    let time = time ?? disclosed
    var object: JSONObject = [
      "_type": "location", "tid": tracker, "tst": time.secondsSince1970, "lat": coordinate.latitude,
      "lon": coordinate.longitude, "acc": horizontalAccuracy?.whole(.up),
      // For OwnTracks, a fix by a press of the button is a manual publication (u), and any other fix is the answer to a
      // request (r).
      "t": isByPress ? "u" : "r",
    ]
    if accuracy == .full {
      object.add("alt", altitude?.whole(.toNearestOrAwayFromZero))
      object.add("vac", verticalAccuracy?.whole(.up))
      // OwnTracks expects kilometres per hour.
      object.add("vel", speed.flatMap { ($0 * 3.6).whole(.toNearestOrAwayFromZero) })
      object.add("cog", course?.whole(.toNearestOrAwayFromZero).map { $0 % 360 })
      // The clock of the machine may not be set, although the receiver knows the time.
      if disclosed >= .firstGateways, disclosed.secondsSince1970 != time.secondsSince1970 {
        object.add("created_at", disclosed.secondsSince1970)
      }
    }
    return object
  }
}

extension Double {
  /// Returns the rounded value; nil if the value is beyond the range of `Int` or not a number.
  package func whole(_ rule: FloatingPointRoundingRule) -> Int? { Int(exactly: rounded(rule)) }
}

extension UTCTime {
  package var secondsSince1970: Int64 {
    let (seconds, rest) = nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? seconds - 1 : seconds
  }
}
