package import Base
import GNSS

extension FixReport {
  /// Appends the fix as an element of the type `wptType` of GPX 1.1, for example `wpt`. The schema determines the order
  /// of the elements. Appends nothing for a fix without a position.
  ///
  /// GPX has no elements for accuracies, speed and course. The element `src` contains the source of a position that was
  /// not measured.
  /// - Parameters:
  ///   - describe: appends the elements from `name` to `desc`.
  ///   - extend: appends the element `extensions`.
  package func writeGPX(
    _ element: String, to buffer: inout TextBuffer, describe: (inout TextBuffer) -> Void = { _ in },
    extend: (inout TextBuffer) -> Void = { _ in }
  ) {
    guard let coordinate else { return }
    buffer.append(ascii: "<")
    buffer.append(element)
    buffer.append(" lat=\"")
    buffer.append(coordinate.latitude)
    buffer.append("\" lon=\"")
    // The schema permits only longitudes below 180.
    buffer.append(coordinate.longitude == 180 ? -180 : coordinate.longitude)
    buffer.append("\">")
    buffer.element("ele", altitude)
    buffer.element("time", time)
    buffer.element("geoidheight", geoidSeparation)
    describe(&buffer)
    if let source = quality?.otherSource { buffer.element("src", source) }
    buffer.element("fix", gpxType)
    buffer.element("sat", satellites)
    buffer.element("hdop", dilutionOfPrecision.horizontal)
    buffer.element("vdop", dilutionOfPrecision.vertical)
    buffer.element("pdop", dilutionOfPrecision.position)
    extend(&buffer)
    buffer.close(element)
  }

  /// The value of the GPX type `fixType`. If GPX has no value for the quality, the result is the mode, as in `3d`.
  private var gpxType: String? {
    switch quality {
    case .differential, .rtkFixed, .rtkFloat: "dgps"
    case .precise: "pps"
    case .invalid, .autonomous, .estimated, .manual, .simulator, nil: mode?.name
    }
  }
}
