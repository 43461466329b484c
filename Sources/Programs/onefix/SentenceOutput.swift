import GNSS
import LineProtocol
import NMEA
import UBX

/// Writes every sentence, frame and error of the input, one in each line.
struct SentenceOutput: DecodeSink {
  var buffer = TextBuffer(capacity: 1 << 18)

  var wantsSentences: Bool { true }

  mutating func begin() {}

  mutating func end(_ statistics: Statistics, unreadable: Int) {}

  func shortfall(of statistics: Statistics) -> FileError.Cause? { statistics.emptiness }

  mutating func receive(_ epoch: Epoch) {}

  mutating func receive(_ sentence: Sentence, from talker: Talker) { buffer.appendLine(sentence, from: talker) }

  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendOtherLine(content, in: bytes)
  }

  mutating func receive(_ error: NMEAError) { buffer.appendLine(error) }

  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendLine(UBXIdentifier(frameClass, id), bytes.extracting(payload))
  }

  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendRTCM3Line(payload, in: bytes)
  }
}
