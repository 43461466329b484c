import Foundation
import Sentences

/// Logs that replace a receiver.
enum RecordedLog {
  struct Position: Hashable {
    var latitude: Double
    var longitude: Double

    func isSame(as fix: Fix) -> Bool {
      abs(latitude - fix.latitude) <= 1e-9 && abs(longitude - fix.longitude) <= 1e-9
    }
  }

  /// Returns the positions in the GGA sentences of a log, without the parser of the gateway.
  static func positions(in text: String) -> [Position] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count > 6, fields[0].hasSuffix("GGA"), let latitude = degrees(fields[2], 2),
        let longitude = degrees(fields[4], 3)
      else { return nil }
      return Position(
        latitude: fields[3] == "S" ? -latitude : latitude, longitude: fields[5] == "W" ? -longitude : longitude)
    }
  }

  private static func degrees(_ field: Substring, _ digits: Int) -> Double? {
    guard let whole = Double(field.prefix(digits)), let minutes = Double(field.dropFirst(digits)) else { return nil }
    return whole + minutes / 60
  }

  /// Returns a walk with one epoch per second, from 07:00 UTC on.
  static func walk(seconds: Int) -> String {
    (0..<seconds).map { second in
      let minutes = Double(second) * 0.0007
      let position = "47\(String(format: "%08.5f", 22.6 + minutes)),N,008\(String(format: "%08.5f", 32.5 + minutes)),E"
      let time = time(second)
      return nmeaSentence("GPRMC,\(time),A,\(position),2.6,45.0,211126,,,A")
        + nmeaSentence("GPGGA,\(time),\(position),1,09,0.9,408.2,M,47.3,M,,")
        + nmeaSentence("GPGST,\(time),,,,,2.1,2.3,4.0")
    }.joined()
  }

  private static func time(_ second: Int) -> String {
    String(format: "%02d%02d%02d.00", 7 + second / 3600, second / 60 % 60, second % 60)
  }
}
