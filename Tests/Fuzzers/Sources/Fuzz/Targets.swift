import Base
import Decoding
import FuzzRules
import GNSS

extension NMEADecoder: StreamDecoder {}
extension ReceiverDecoder: StreamDecoder {}

/// Splits the input: the last byte selects how the other bytes are decoded.
private func parts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> ([UInt8], Choice)? {
  guard count > 1 else { return nil }
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let choice = Choice(bytes.removeLast())
  if choice.mends { mend(&bytes) }
  return (bytes, choice)
}

/// Checks the decoder of sentences.
@_cdecl("fuzz_nmea")
public func fuzzNMEA(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, choice) = parts(start, count) else { return 0 }
  verify(NMEADecoder.self, bytes, choice)
  return 0
}

/// Checks the decoder of a receiver's stream: sentences, UBX and RTCM 3. Also checks the path from the stream to fixes.
@_cdecl("fuzz_mixed")
public func fuzzMixed(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, choice) = parts(start, count) else { return 0 }
  verify(ReceiverDecoder.self, bytes, choice)
  pipelineHolds(bytes, chunk: choice.chunk)
  return 0
}

/// Checks the parsers of UBX messages with the payloads of the frames in the input, and the assembler of their epochs.
@_cdecl("fuzz_ubx")
public func fuzzUBX(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, choice) = parts(start, count) else { return 0 }
  var output = Payloads(learnsEnd: choice.configuration.learnsEnd)
  var decoder = NMEADecoder(configuration: choice.configuration)
  decoder.consume(bytes.span, at: MonotonicInstant(nanoseconds: 0), to: &output)
  decoder.finish(to: &output)
  // The whole input is a payload of each message, too.
  for identifier in Payloads.read { output.take(identifier, bytes.span) }
  output.assembler.silence(into: &output.epochs)
  for epoch in output.epochs { check(epoch) }
  precondition(output.epochs.count <= output.solutions)
  return 0
}

/// An output that parses the payloads of UBX frames and assembles epochs from the messages.
private struct Payloads: NMEAOutput {
  static let read: [UBXIdentifier] = [
    .navPVT, .navDOP, .navSAT, .navEOE, .navSOL, .navPOSLLH, .navVELNED, .navSTATUS, .navTIMEUTC, .navTIMEGPS,
    .navSVINFO, .hnrPVT, .navHPPOSLLH, .monVER, .secSIG, .monRF, .monHW,
  ]
  var assembler: UBXEpochAssembler
  var epochs: [Epoch] = []
  var solutions = 0

  init(learnsEnd: Bool) {
    assembler = UBXEpochAssembler(
      rolloverFloor: learnsEnd ? NMEAConfiguration.compiledFloor : nil, learnsEnd: learnsEnd)
  }

  func receive(_ epoch: Epoch) {}

  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    take(UBXIdentifier(frameClass, id), bytes.extracting(payload))
  }

  mutating func take(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) {
    let now = MonotonicInstant(nanoseconds: 0)
    do {
      try assembler.process(identifier, payload, began: now, ended: now, into: &epochs)
      if [.navPVT, .hnrPVT, .navSOL, .navSTATUS].contains(identifier) { solutions += 1 }
    } catch {}
    if let version = try? MonVER(payload) { precondition(version.protocolVersion.map { $0 >= 0 } != false) }
    if let verdicts = try? SignalThreats(identifier, payload) {
      precondition(verdicts.spoofing != nil || verdicts.jamming != nil)
    }
    if let event = try? NavTIMELS(payload).next { precondition(event.remaining > 0) }
  }
}
