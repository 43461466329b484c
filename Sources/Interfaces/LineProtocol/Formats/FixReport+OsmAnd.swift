package import Base
import GNSS

extension FixReport {
  /// Returns the fix as the parameters of Traccar's protocol OsmAnd (traccar.org/osmand); nil without a position. Traccar
  /// also reads these parameters from the body of a request, so that no log of a server has the position.
  ///
  /// A fix with reduced accuracy has only its position, its radius and its time. Traccar stores each parameter that
  /// Traccar does not know, for example `suspect`, as an attribute of the position.
  ///
  /// - Parameters:
  ///   - device: The identifier of the device in Traccar.
  ///   - time: The time of the fix; nil if unknown. Traccar then takes the time at which the fix arrives.
  package func osmAnd(device: String, time: UTCTime?) -> String? {
    guard let coordinate else { return nil }
    var text = "id=\(device)"
    func add(_ name: String, _ value: Double?) {
      guard let value else { return }
      var buffer = TextBuffer(capacity: 32)
      if buffer.append(value) { text += "&\(name)=\(buffer.text)" }
    }
    add("lat", coordinate.latitude)
    add("lon", coordinate.longitude)
    if let time { text += "&timestamp=\(time.secondsSince1970)" }
    add("accuracy", horizontalAccuracy)
    guard accuracy == .full else { return text }
    add("altitude", altitude)
    // Traccar expects knots: 1 knot is 1852 m in an hour.
    add("speed", speed.map { ($0 * 3600 / 1852 * 100).rounded() / 100 })
    add("bearing", course)
    add("hdop", dilutionOfPrecision.horizontal)
    for case (let name, let value?) in caveats { text += "&\(name)=\(value)" }
    return text
  }
}
