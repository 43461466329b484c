import Base
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
  /// The time of the latest fix, and the seconds between the latest two fixes without a pause between them.
  private var latest: (time: UTCTime, step: Double?)?

  /// The least time in seconds in which a receiver counts as off. A track is then interrupted (GPX 1.1, `trksegType`:
  /// "if GPS reception was lost, or the GPS receiver was turned off"). A tracker with one fix in ten minutes has no such
  /// pause, so the pause must also be ten times as long as the step before it.
  static let leastPause = 300.0

  init(_ format: TrackFormat) {
    writer = format.writer
  }

  mutating func begin() { writer.begin(&buffer) }

  mutating func end(_ statistics: Statistics, unreadable: Int) { writer.end(&buffer) }

  func shortfall(of statistics: Statistics) -> FileError.Cause? {
    if let emptiness = statistics.emptiness { return emptiness }
    if hasFix { return nil }
    // A few damaged sentences are not the reason why a receiver without a fix has no position.
    if case .rejected(let sentences, _)? = statistics.rejection, sentences >= epochs { return statistics.rejection }
    return .noFix(epochs: epochs)
  }

  mutating func receive(_ epoch: Epoch) {
    epochs += 1
    if epoch.startsSequence { writer.interrupt(&buffer) }
    guard let fix = Fix(measured: epoch) else {
      writer.interrupt(&buffer)
      return
    }
    hasFix = true
    if isAfterPause(epoch.time) { writer.interrupt(&buffer) }
    writer.write(FixReport(fix, disclosed: nil), to: &buffer)
  }

  private mutating func isAfterPause(_ time: UTCTime?) -> Bool {
    guard let time else { return false }
    guard let latest else {
      self.latest = (time, nil)
      return false
    }
    let step = Double(time.nanosecondsSince1970 &- latest.time.nanosecondsSince1970) / 1e9
    let isPause = step > max(Self.leastPause, 10 * (latest.step ?? .infinity))
    self.latest = (time, isPause ? latest.step : step)
    return isPause
  }
}
