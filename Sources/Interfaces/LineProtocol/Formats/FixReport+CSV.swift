package import Base
import GNSS

extension FixReport {
  /// The CSV header: the names of the columns, separated by commas. Names and units are those of the JSON members in
  /// the line protocol.
  package static let columns =
    "time,lat,lon,hacc,alt,vacc,speed,sacc,course,cacc,fix,sats,accuracy,geoid,hdop,pdop,vdop,quality,"
    + "measured,age_ms,coasted,suspect"

  /// Appends the fix as one CSV row without a line end. The cell of an unknown value is empty. (RFC 4180)
  package func writeCSV(to buffer: inout TextBuffer) {
    if let time { buffer.append(time) }
    buffer.cell(coordinate?.latitude)
    buffer.cell(coordinate?.longitude)
    buffer.cell(horizontalAccuracy)
    buffer.cell(altitude)
    buffer.cell(verticalAccuracy)
    buffer.cell(speed)
    buffer.cell(speedAccuracy)
    buffer.cell(course)
    buffer.cell(courseAccuracy)
    buffer.cell(mode?.name)
    buffer.append(ascii: ",")
    if let satellites { buffer.append(Int64(satellites)) }
    buffer.cell(accuracy.rawValue)
    buffer.cell(geoidSeparation)
    buffer.cell(dilutionOfPrecision.horizontal)
    buffer.cell(dilutionOfPrecision.position)
    buffer.cell(dilutionOfPrecision.vertical)
    buffer.cell(quality?.name)
    for (_, value) in caveats { buffer.cell(value) }
  }
}

extension TextBuffer {
  fileprivate mutating func cell(_ value: Double?) {
    append(ascii: ",")
    if let value { append(value) }
  }

  /// Appends a comma and a CSV cell. A text that contains a comma, a quotation mark or a line end is put in quotation
  /// marks. (RFC 4180 §2)
  package mutating func cell(_ text: String?) {
    append(ascii: ",")
    guard let text else { return }
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return append(text) }
    append(ascii: "\"")
    for byte in text.utf8 { append(byte == 0x22 ? [byte, byte] : [byte]) }
    append(ascii: "\"")
  }
}
