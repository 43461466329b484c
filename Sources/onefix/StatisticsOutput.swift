import GNSS
import LineProtocol
import NMEA
import TrackFormats

/// Writes nothing but what was counted.
struct StatisticsOutput: DecodeSink {
  var buffer = TextBuffer()
  let isJSON: Bool

  mutating func begin() {}

  mutating func receive(_ epoch: Epoch) {}

  mutating func end(_ statistics: Statistics) {
    let table = StatisticsTable(statistics)
    if isJSON {
      table.writeJSON(to: &buffer)
    } else {
      table.writeText(to: &buffer)
    }
  }
}
