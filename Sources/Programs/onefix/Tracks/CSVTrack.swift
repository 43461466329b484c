import GNSS
package import LineProtocol

/// Writes a header, and a row for each fix. The columns have the names, the order and the units of the line protocol's
/// JSON. Unknown values are empty. The format is RFC 4180, except that lines end with LF.
package struct CSVTrack: TrackWriter {
  package mutating func begin(_ buffer: inout TextBuffer) {
    buffer.append("time,lat,lon,hacc,alt,vacc,speed,sacc,course,cacc,fix,sats,accuracy,geoid,hdop,pdop,vdop,quality\n")
  }

  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    if let time = fix.time { buffer.append(time) }
    buffer.cell(fix.coordinate?.latitude)
    buffer.cell(fix.coordinate?.longitude)
    buffer.cell(fix.horizontalAccuracy)
    buffer.cell(fix.altitude)
    buffer.cell(fix.verticalAccuracy)
    buffer.cell(fix.speed)
    buffer.cell(fix.speedAccuracy)
    buffer.cell(fix.course)
    buffer.cell(fix.courseAccuracy)
    buffer.cell(fix.mode?.name)
    buffer.append(ascii: ",")
    if let satellites = fix.satellites { buffer.append(Int64(satellites)) }
    buffer.cell(fix.accuracy.rawValue)
    buffer.cell(fix.geoidSeparation)
    buffer.cell(fix.dilutionOfPrecision.horizontal)
    buffer.cell(fix.dilutionOfPrecision.position)
    buffer.cell(fix.dilutionOfPrecision.vertical)
    buffer.cell(fix.quality?.name)
    buffer.append(ascii: "\n")
  }
}

extension TextBuffer {
  fileprivate mutating func cell(_ value: Double?) {
    append(ascii: ",")
    if let value { append(value) }
  }

  /// Appends a cell with a name. No name contains a comma or a quotation mark.
  fileprivate mutating func cell(_ name: String?) {
    append(ascii: ",")
    if let name { append(name) }
  }
}
