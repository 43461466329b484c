import Base
import CFuzzer
import Decoding
import GNSS

/// A decoder of a receiver's stream.
protocol StreamDecoder {
  init(configuration: NMEAConfiguration)
  var statistics: Statistics { get }
  mutating func consume(_ bytes: Span<UInt8>, at instant: MonotonicInstant, to output: inout some NMEAOutput)
  mutating func idle(at instant: MonotonicInstant, to output: inout some NMEAOutput)
  mutating func finish(to output: inout some NMEAOutput)
}

/// An output that checks the epochs and does not store them.
private struct Nothing: NMEAOutput {
  func receive(_ epoch: Epoch) { check(epoch) }
}

/// The way to decode an input. Its last byte selects the way, so that a mutation of the other bytes does not change it.
struct Choice {
  var configuration: NMEAConfiguration
  /// Whether checksums are corrected before the input is decoded.
  var mends: Bool
  /// The bytes that the decoder gets at once.
  var chunk: Int

  init(_ byte: UInt8) {
    configuration = byte & 1 == 0 ? NMEAConfiguration() : .replay
    configuration.requiresChecksum = byte & 2 == 0
    mends = byte & 4 == 0
    chunk = 1 + Int(byte >> 3)
  }
}

/// Checks the rules that hold for every decoder of a stream.
func verify<Decoder: StreamDecoder>(_ type: Decoder.Type, _ bytes: [UInt8], _ choice: Choice) {
  let whole = decode(type, bytes, chunk: .max / 2, choice)
  // The findings do not depend on the split of the stream.
  for chunk in [1, choice.chunk] { precondition(decode(type, bytes, chunk: chunk, choice) == whole) }
  // Pauses change the epochs, so the findings are not compared with others.
  _ = decode(type, bytes, chunk: choice.chunk, choice, pauses: true)
  verifyRecovery(type, bytes, choice)
  if choice.chunk == 8 { verifyMemory(type, bytes, choice) }
}

private func decode<Decoder: StreamDecoder>(
  _ type: Decoder.Type, _ bytes: [UInt8], chunk: Int, _ choice: Choice, pauses: Bool = false
) -> Findings {
  var decoder = Decoder(configuration: choice.configuration)
  var findings = Findings()
  var now = MonotonicInstant(nanoseconds: 0)
  var start = 0
  while start < bytes.count {
    let end = min(bytes.count, start + chunk)
    decoder.consume(bytes.span.extracting(start..<end), at: now, to: &findings)
    if pauses {
      now = now + .milliseconds(Int64(bytes[start]) * 4)
      decoder.idle(at: now, to: &findings)
    }
    start = end
  }
  decoder.finish(to: &findings)
  precondition(decoder.statistics.bytes == bytes.count)
  precondition(decoder.statistics.errorCount == findings.errors.count)
  precondition(decoder.statistics.ignoredSentences == findings.others.count)
  return findings
}

/// Checks that the decoder reads a valid sentence on its own line after any bytes.
private func verifyRecovery<Decoder: StreamDecoder>(_ type: Decoder.Type, _ bytes: [UInt8], _ choice: Choice) {
  // A file in UTF-16 has no line in ASCII.
  guard !isWide(bytes) else { return }
  let sentence = Array("GPTXT,01,01,02,RECOVERED".utf8)
  let line = Array("\n$".utf8) + sentence + Array("*\(hexadecimal(sentence.reduce(0, ^)))\r\n".utf8)
  let findings = decode(type, bytes + line, chunk: .max / 2, choice)
  if findings.others.last == sentence { return }
  // The sentence may be part of a binary frame with a correct checksum.
  let word = Array("GPTXT".utf8)
  precondition(findings.binary.contains { frame in frame.indices.contains { frame[$0...].starts(with: word) } })
}

private func isWide(_ bytes: [UInt8]) -> Bool {
  // The first two bytes of a shorter input are its own byte and the start of the line that follows.
  let first = Array((bytes + [0x0A, 0x24]).prefix(2))
  return [[0xFF, 0xFE], [0xFE, 0xFF], [0x24, 0x00], [0x00, 0x24]].contains(first)
}

/// Checks that the memory of a decoder does not grow with the length of the stream.
private func verifyMemory<Decoder: StreamDecoder>(_ type: Decoder.Type, _ bytes: [UInt8], _ choice: Choice) {
  let before = fuzzer_heap()
  var decoder = Decoder(configuration: choice.configuration)
  var output = Nothing()
  for _ in 0..<1 + 131_072 / max(1, bytes.count) {
    decoder.consume(bytes.span, at: MonotonicInstant(nanoseconds: 0), to: &output)
  }
  // The longest frame, the most satellites and the names of a receiver fit in half of this limit. Arrays grow by doubling.
  precondition(fuzzer_heap() < before + 65_536)
  decoder.finish(to: &output)
}
