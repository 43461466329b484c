import GNSS
import LineProtocol
import NMEA
import TrackFormats

/// Writes every sentence, frame and error.
struct SentenceOutput: DecodeSink {
  var buffer = TextBuffer(capacity: 1 << 18)

  var wantsSentences: Bool { true }

  mutating func begin() {}

  mutating func end(_ statistics: Statistics) {}

  mutating func receive(_ epoch: Epoch) {}

  mutating func receive(_ sentence: Sentence, from talker: Talker) { buffer.appendLine(sentence, from: talker) }

  mutating func receive(_ error: NMEAError) { buffer.appendLine(error) }

  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendUBXLine(class: frameClass, id: id, length: payload.count)
  }

  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendRTCM3Line(payload, in: bytes)
  }
}
