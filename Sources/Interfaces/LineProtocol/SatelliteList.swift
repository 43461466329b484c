import Base
package import GNSS

extension FixReport {
  /// Returns the fix as JSON with the additional member `sky`, the list of the satellites.
  /// - Parameter satellites: The satellites that the receiver reported together with the fix.
  package func json(withSatellites satellites: [Satellite]) -> String {
    var buffer = TextBuffer(capacity: 4096)
    buffer.beginObject()
    writeMembers(to: &buffer)
    buffer.add("sky", satellites.mergedBySatellite.map { JSONText($0.json) })
    buffer.endObject()
    return buffer.text
  }
}

extension [Satellite] {
  /// The list with one entry for each satellite: a receiver of several frequencies reports a satellite once for each
  /// signal. A merged entry has the greatest signal strength, and counts as used if one signal is used.
  package var mergedBySatellite: [Satellite] {
    var merged: [Satellite] = []
    var indices: [UInt64: Int] = [:]
    for satellite in self {
      let key = UInt64(satellite.constellation?.index ?? 7) << 16 | UInt64(satellite.number)
      guard let index = indices[key] else {
        indices[key] = merged.count
        merged.append(satellite)
        continue
      }
      let known = merged[index]
      merged[index].signalStrength = [known.signalStrength, satellite.signalStrength].compactMap(\.self).max()
      merged[index].isUsed = [known.isUsed, satellite.isUsed].compactMap(\.self).reduce(nil) { ($0 ?? false) || $1 }
      merged[index].elevation = known.elevation ?? satellite.elevation
      merged[index].azimuth = known.azimuth ?? satellite.azimuth
    }
    return merged
  }
}

extension Satellite {
  /// The satellite as a JSON object, in the format for owners (administrators) and gpsd clients.
  package var json: String {
    SatelliteMessage.json {
      $0.gnss = constellation?.rawValue
      $0.id = number
      $0.el = elevation
      $0.az = azimuth
      $0.ss = signalStrength
      $0.used = isUsed
    }
  }
}
