package import Base
import GNSS

extension FixReport {
  /// The beginning of a GPX file, with the namespace of the elements that only OneFix has.
  package static let gpxHeader = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="OneFix" xmlns="http://www.topografix.com/GPX/1/1" xmlns:onefix="urn:onefix:gpx">

    """

  /// Appends the fix as an XML element of the GPX 1.1 type `wptType`, for example `wpt`. A fix without a position
  /// appends nothing.
  ///
  /// GPX has no elements for accuracies, speed and course. The element `src` names the source of a position that was
  /// not measured. The element `extensions` has the age of the fix and the signs that the position can be false.
  /// - Parameters:
  ///   - describe: Appends the elements from `name` to `desc`, at their place in the order of the schema.
  ///   - extend: Appends further elements to `extensions`; nil if there are none.
  package func writeGPX(
    _ element: String, to buffer: inout TextBuffer, describe: (inout TextBuffer) -> Void = { _ in },
    extend: ((inout TextBuffer) -> Void)? = nil
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
    if extend != nil || caveats.contains(where: { $0.value != nil }) {
      buffer.open("extensions")
      extend?(&buffer)
      for (name, value) in caveats { buffer.element("onefix:\(name)", value) }
      buffer.close("extensions")
    }
    buffer.close(element)
  }

  /// The value of the GPX type `fixType`, for example `dgps` or `3d`. If GPX has no value for the quality of the fix,
  /// the result is the mode of the fix; nil if the mode is unknown.
  private var gpxType: String? {
    switch quality {
    case .differential, .rtkFixed, .rtkFloat: "dgps"
    case .precise: "pps"
    case .invalid, .autonomous, .estimated, .manual, .simulator, nil: mode?.name
    }
  }
}
