import CFuzzer
import Clocks
import Framing
import GNSS
import NMEA

/// Whatever a decoder finds, in a form that can be compared.
struct Findings: NMEAOutput {
  var epochs: [Epoch] = []
  var sentences = 0
  var errors: [NMEAError] = []
  var binary: [[UInt8]] = []

  var wantsSentences: Bool { true }

  mutating func receive(_ epoch: Epoch) {
    if let coordinate = epoch.coordinate {
      precondition(abs(coordinate.latitude) <= 90 && abs(coordinate.longitude) <= 180)
      precondition(epoch.mode != nil)
    } else {
      precondition(epoch.mode == nil && epoch.altitude == nil && epoch.speed == nil)
    }
    precondition(epoch.altitude?.isFinite != false && epoch.speed?.isFinite != false)
    _ = epoch.time?.iso8601
    epochs.append(epoch)
  }

  mutating func receive(_ sentence: Sentence, from talker: Talker) {
    sentences += 1
    _ = "\(talker)"
  }

  mutating func receive(_ error: NMEAError) {
    _ = error.description
    errors.append(error)
  }

  mutating func receiveUBX(class: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    binary.append(payload.map { bytes[$0] })
  }

  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    binary.append(payload.map { bytes[$0] })
  }
}

/// The whole at once, and in chunks: both must find the same. With `pauses`, the line is silent between chunks, and there
/// is nothing to compare.
func decode(_ bytes: [UInt8], chunk: Int, configuration: NMEAConfiguration, pauses: Bool) -> Findings {
  var decoder = NMEADecoder(configuration: configuration)
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
  precondition(decoder.statistics.epochs == findings.epochs.count)
  precondition(decoder.statistics.errorCount == findings.errors.count)
  return findings
}

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let choice = Int(bytes.removeLast())
  var configuration = choice & 1 == 0 ? NMEAConfiguration() : .replay
  configuration.requiresChecksum = choice & 2 == 0
  let whole = decode(bytes, chunk: .max / 2, configuration: configuration, pauses: false)
  let parts = decode(bytes, chunk: 1 + choice >> 2, configuration: configuration, pauses: false)
  precondition(whole.epochs == parts.epochs)
  precondition(whole.sentences == parts.sentences)
  precondition(whole.errors == parts.errors)
  precondition(whole.binary == parts.binary)
  _ = decode(bytes, chunk: 1 + choice >> 2, configuration: configuration, pauses: true)
  return 0
}
