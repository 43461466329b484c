import Decoding
import Estimation
import GNSS
import LineProtocol

/// An output of fixes in the chosen file format, one fix for each epoch (all data of the receiver for one instant).
struct FixOutput: DecodeSink {
  var buffer = TextBuffer(capacity: 1 << 18)
  private var writer: any TrackWriter
  private var epochs = 0
  private var hasFix = false

  init(_ format: TrackFormat) {
    writer = format.writer
  }

  mutating func begin() { writer.begin(&buffer) }

  mutating func end(_ statistics: Statistics, unreadable: Int) { writer.end(&buffer) }

  func shortfall(of statistics: Statistics) -> FileError.Cause? {
    statistics.emptiness ?? (hasFix ? nil : .noFix(epochs: epochs))
  }

  mutating func receive(_ epoch: Epoch) {
    epochs += 1
    if epoch.startsSequence { writer.interrupt(&buffer) }
    guard let fix = Fix(measured: epoch) else {
      writer.interrupt(&buffer)
      return
    }
    hasFix = true
    writer.write(FixReport(fix, disclosed: nil), to: &buffer)
  }
}
