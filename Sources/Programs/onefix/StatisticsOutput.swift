import Decoding
import GNSS
import Base

/// An output of counts, such as the counts of sentences and errors, instead of fixes.
struct StatisticsOutput: DecodeSink {
  var buffer = TextBuffer()
  private let isJSON: Bool
  private var frames = FrameCounts()
  private var epochs = 0
  private var fixes = 0

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  mutating func begin() {}

  mutating func receive(_ epoch: Epoch) {
    epochs += 1
    if epoch.coordinate != nil { fixes += 1 }
  }

  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    frames.count(UBXIdentifier(frameClass, id))
  }

  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    frames.countRTCM3(payload, in: bytes)
  }

  mutating func end(_ statistics: Statistics, unreadable: Int) {
    frames.unreadable = unreadable
    let table = StatisticsTable(statistics, frames: frames, epochs: epochs, fixes: fixes)
    if isJSON {
      table.writeJSON(to: &buffer)
    } else {
      table.writeText(to: &buffer)
    }
  }

  /// Returns nil for every file, because even counts of zero are a usable result.
  func shortfall(of statistics: Statistics) -> FileError.Cause? { nil }
}
