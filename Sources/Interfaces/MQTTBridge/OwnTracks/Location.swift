package import Clocks
import GNSS
package import LineProtocol

/// A fix as OwnTracks publishes it to `owntracks/user/device`. (OwnTracks Booklet, "JSON", `_type=location`)
package struct Location: Hashable, Sendable {
  /// Why there is a fix.
  package enum Trigger: String, Hashable, Sendable {
    /// Somebody pressed the button: published by hand.
    case press = "u"
    /// The app asked, under a standing authorization.
    case request = "r"
  }

  private let fix: FixReport
  private let tracker: String
  private let trigger: Trigger
  private let created: UTCTime

  /// - Parameters:
  ///   - tracker: the initials that a map shows, two characters.
  ///   - created: when the fix was disclosed.
  package init(_ fix: FixReport, tracker: String, trigger: Trigger, created: UTCTime) {
    self.fix = fix
    self.tracker = tracker
    self.trigger = trigger
    self.created = created
  }

  /// One JSON object. A reduced fix has its quarter hour, its place and its radius alone.
  package var payload: String {
    var object = JSONObject()
    object.add("_type", "location")
    object.add("tid", tracker)
    object.add("tst", time.secondsSince1970)
    object.add("lat", fix.coordinate.latitude)
    object.add("lon", fix.coordinate.longitude)
    object.add("acc", whole(fix.horizontalAccuracy, .up))
    object.add("t", trigger.rawValue)
    guard fix.accuracy == .full else { return object.text }
    object.add("alt", whole(fix.altitude, .toNearestOrAwayFromZero))
    object.add("vac", whole(fix.verticalAccuracy, .up))
    // Kilometres per hour.
    object.add("vel", whole(fix.speed.map { $0 * 3.6 }, .toNearestOrAwayFromZero))
    object.add("cog", whole(fix.course, .toNearestOrAwayFromZero).map { $0 % 360 })
    if created.secondsSince1970 != time.secondsSince1970 { object.add("created_at", created.secondsSince1970) }
    return object.text
  }

  /// When it was measured; a receiver without dates is believed to have done so just now.
  private var time: UTCTime { fix.time ?? created }

  private func whole(_ value: Double?, _ rule: FloatingPointRoundingRule) -> Int? {
    value.flatMap { Int(exactly: $0.rounded(rule)) }
  }
}

extension UTCTime {
  /// As OwnTracks counts, without fractions.
  var secondsSince1970: Int64 {
    let (seconds, rest) = nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? seconds - 1 : seconds
  }
}
