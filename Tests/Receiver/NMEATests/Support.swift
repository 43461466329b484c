import Base
import GNSS
@testable import Decoding

func at(_ milliseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
}

/// An output that records all results of a decoder.
struct Recorder: NMEAOutput, Equatable {
  var epochs: [Epoch] = []
  /// The number of sentences of supported types.
  var sentences = 0
  var talkers: [String] = []
  /// The sentences of other types.
  var others: [String] = []
  var errors: [NMEAError] = []
  /// The fields that are unknown because they could not be read.
  var unreadable: [String] = []
  var ubx: [[UInt8]] = []
  var rtcm3: [[UInt8]] = []

  mutating func receive(_ epoch: Epoch) { epochs.append(epoch) }
  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {
    others.append(String(decoding: content.map { bytes[$0] }, as: UTF8.self))
  }
  mutating func receive(_ error: NMEAError) { errors.append(error) }
  mutating func receiveUBX(class: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    ubx.append([`class`, id] + payload.map { bytes[$0] })
  }
  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    rtcm3.append(payload.map { bytes[$0] })
  }
}

/// Decodes a whole stream at one instant.
func decode(
  _ bytes: [UInt8], _ configuration: NMEAConfiguration = .replay, chunk: Int = .max
) -> Recorder {
  var decoder = NMEADecoder(configuration: configuration)
  var recorder = Recorder()
  var start = 0
  while start < bytes.count {
    let end = start + min(chunk, bytes.count - start)
    decoder.consume(bytes.span.extracting(start..<end), at: at(0), to: &recorder)
    start = end
  }
  decoder.finish(to: &recorder)
  (recorder.sentences, recorder.talkers) = (
    decoder.statistics.sentences, decoder.statistics.talkers.map(\.talker.description)
  )
  recorder.unreadable = decoder.statistics.fieldFaults.filter { !$0.fault.discardsSentence }.map(\.fault.description)
  return recorder
}

func decode(_ text: String, _ configuration: NMEAConfiguration = .replay, chunk: Int = .max) -> Recorder {
  decode(Array(text.utf8), configuration, chunk: chunk)
}

/// The number in a sentence that an epoch uses, or nil.
func number(_ value: Value, in content: String) -> Double? {
  let bytes = Array(content.utf8)
  let beginning = bytes[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  guard let index = SentenceRow.index(of: beginning, length: bytes.count) else { return nil }
  let row = SentenceRow.all[index]
  var fields = Fields(bytes.span, content: 0..<bytes.count, row.role)
  var sentence = Sentence(row.role, .gps)
  do { try sentence.read(row.fields, &fields) } catch { return nil }
  return sentence[value]
}
