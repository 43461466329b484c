import Base
import GNSS
import LineProtocol
package import Ports

/// The parameters with which a fix is sent to the tracking server Traccar, in its protocol OsmAnd. (traccar.org/osmand)
package struct OsmAnd: Sendable {
  /// The identifier of the device in Traccar: the gateway's name and the app's id.
  private let id: String

  package init(_ topics: BridgeTopics) { id = "\(topics.gateway)-\(topics.app)" }

  /// Returns the parameters as text for the body of the HTTP request; nil for a fix without a position. The body is
  /// used instead of the URL, so that no log of a server has the position.
  ///
  /// A fix with reduced accuracy has only its position, its radius and its time.
  package func parameters(_ fix: PublishedFix) -> String? {
    let report = fix.report
    guard let coordinate = report.coordinate else { return nil }
    var text = "id=\(id)"
    func add(_ name: String, _ value: Double?) {
      guard let value else { return }
      var buffer = TextBuffer(capacity: 32)
      if buffer.append(value) { text += "&\(name)=\(buffer.text)" }
    }
    add("lat", coordinate.latitude)
    add("lon", coordinate.longitude)
    // If the receiver reports no dates, the fix has the time of its publication.
    text += "&timestamp=\((report.time ?? fix.disclosed).secondsSince1970)"
    add("accuracy", report.horizontalAccuracy)
    guard report.accuracy == .full else { return text }
    add("altitude", report.altitude)
    // Traccar expects knots: 1 knot is 1852 m in an hour.
    add("speed", report.speed.map { ($0 * 3600 / 1852 * 100).rounded() / 100 })
    add("bearing", report.course)
    add("hdop", report.dilutionOfPrecision.horizontal)
    return text
  }
}
