package import Base
import GNSS
package import LineProtocol

/// A fix in the form that OwnTracks publishes to `owntracks/user/device`. (OwnTracks Booklet, "JSON", `_type=location`)
package struct Location: Hashable, Sendable {
  /// The reason why an app received a fix.
  package enum Trigger: String, Hashable, Sendable {
    /// A press of the button. OwnTracks calls this a manual publication.
    case press = "u"
    /// A request under a standing authorization, without a press.
    case request = "r"
  }

  private let fix: FixReport
  private let coordinate: Coordinate
  private let tracker: String
  private let trigger: Trigger
  private let created: UTCTime

  /// Returns nil for a fix without a position, because OwnTracks has no names of places without positions.
  ///
  /// - Parameter tracker: The two characters that a map shows for the device.
  package init?(_ fix: FixReport, tracker: String, trigger: Trigger, created: UTCTime) {
    guard let coordinate = fix.coordinate else { return nil }
    self.fix = fix
    self.coordinate = coordinate
    self.tracker = tracker
    self.trigger = trigger
    self.created = created
  }

  /// The fix as one JSON object. A fix with reduced accuracy contains only its position, the radius of the position,
  /// and the quarter hour of the measurement.
  package var payload: String {
    var object: JSONObject = [
      "_type": "location", "tid": tracker, "tst": time.secondsSince1970, "lat": coordinate.latitude,
      "lon": coordinate.longitude, "acc": whole(fix.horizontalAccuracy, .up), "t": trigger.rawValue,
    ]
    guard fix.accuracy == .full else { return object.text }
    object.add("alt", whole(fix.altitude, .toNearestOrAwayFromZero))
    object.add("vac", whole(fix.verticalAccuracy, .up))
    // OwnTracks expects kilometres per hour.
    object.add("vel", whole(fix.speed.map { $0 * 3.6 }, .toNearestOrAwayFromZero))
    object.add("cog", whole(fix.course, .toNearestOrAwayFromZero).map { $0 % 360 })
    // The clock of the machine may not be set, although the receiver knows the time.
    if created >= .firstGateways, created.secondsSince1970 != time.secondsSince1970 {
      object.add("created_at", created.secondsSince1970)
    }
    return object.text
  }

  /// The time of the position, or of the disclosure if the receiver reports no dates.
  private var time: UTCTime { fix.time ?? created }

  private func whole(_ value: Double?, _ rule: FloatingPointRoundingRule) -> Int? {
    value.flatMap { Int(exactly: $0.rounded(rule)) }
  }
}

extension UTCTime {
  /// The number of whole seconds since 1970.
  var secondsSince1970: Int64 {
    let (seconds, rest) = nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? seconds - 1 : seconds
  }
}
