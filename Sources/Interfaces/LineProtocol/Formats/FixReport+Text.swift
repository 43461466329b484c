package import Base
import GNSS

extension FixReport {
  /// Returns the fix as one line of text: the position with its radius, or the name of the place, and then the time.
  /// For example, `47.376888 8.541694 ±12.5 m 2026-11-21T07:31:34.200Z`. The line ends with the signs that the position
  /// can be false, as in `, coasted, suspect: jump`.
  /// - Parameter time: The time of the fix; nil if unknown.
  package func text(at time: UTCTime?) -> String {
    var buffer = TextBuffer()
    if let coordinate {
      buffer.append(coordinate.latitude)
      buffer.append(ascii: " ")
      buffer.append(coordinate.longitude)
      if let horizontalAccuracy {
        buffer.append(" ±")
        buffer.append(horizontalAccuracy)
        buffer.append(" m")
      }
    } else {
      buffer.append(place ?? "")
    }
    if let time {
      buffer.append(ascii: " ")
      buffer.append(time)
    }
    buffer.append(doubts)
    return buffer.text
  }

  /// The signs that the position can be false, for the end of a text; empty if there are none.
  package var doubts: String {
    (isCoasted ? ", coasted" : "") + (suspicion.map { ", suspect: \($0.rawValue)" } ?? "")
  }
}
