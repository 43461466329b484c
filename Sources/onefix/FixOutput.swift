import Estimation
import Framing
import GNSS
import LineProtocol
import NMEA
import TrackFormats

/// Writes the fix of each epoch.
struct FixOutput: DecodeSink {
  var buffer = TextBuffer(capacity: 1 << 18)
  private var writer: any TrackWriter

  init(_ format: TrackFormat) {
    writer = format.writer
  }

  mutating func begin() { writer.begin(&buffer) }

  mutating func end(_ statistics: Statistics) { writer.end(&buffer) }

  mutating func receive(_ epoch: Epoch) { take(epoch) }

  /// Whatever an epoch comes from, here it becomes a fix: each source of epochs joins here.
  private mutating func take(_ epoch: Epoch) {
    if epoch.startsSequence { writer.interrupt(&buffer) }
    guard let fix = Fix(measured: epoch) else {
      writer.interrupt(&buffer)
      return
    }
    writer.write(FixReport(fix, disclosed: nil), to: &buffer)
  }
}
