public import Clocks
public import GNSS
public import NMEA
import UBX

/// Bytes of a receiver to epochs, whatever it speaks: NMEA 0183, UBX and RTCM 3, interleaved as they come.
///
/// Exactly one epoch for each time that the receiver navigates at. Where both sentences and NAV-PVT tell of it, NAV-PVT
/// wins (`EpochJoiner`). Like `NMEADecoder` it owns no clock: the caller says when bytes arrived, and calls `idle` when
/// `nextDeadline` has passed without any.
public struct ReceiverDecoder: Sendable {
  private var sentences: NMEADecoder
  private var joiner: EpochJoiner
  /// How long a silence ends what waits for NAV-PVT.
  private let gap: Duration
  private var lastArrival: MonotonicInstant?

  /// A decoder that has seen nothing yet.
  public init(configuration: NMEAConfiguration = NMEAConfiguration()) {
    sentences = NMEADecoder(configuration: configuration)
    joiner = EpochJoiner(configuration)
    gap = configuration.idleGap
  }

  /// What went through it so far.
  public var statistics: Statistics { sentences.statistics }
  /// UBX frames whose checksum is right and whose contents are not what their message has.
  public var frameErrors: Int { joiner.frameErrors }

  /// When to call `idle` if nothing arrives before; nil while nothing waits for a silence.
  public var nextDeadline: MonotonicInstant? {
    let binary = lastArrival.flatMap { joiner.awaitsEnd ? $0 + patience : nil }
    guard let text = sentences.nextDeadline else { return binary }
    return binary.map { max($0, text) } ?? text
  }

  private var patience: Duration {
    joiner.binary.awaitsEnd ? joiner.binary.patience : gap
  }

  /// Reads bytes that arrived together. All that they hold is handed over: epochs, sentences, errors, frames.
  public mutating func consume(
    _ bytes: Span<UInt8>, at instant: MonotonicInstant, to output: inout some NMEAOutput
  ) {
    if let deadline = nextDeadline, instant >= deadline { idle(at: instant, to: &output) }
    let began = sentences.isInsideFrame ? lastArrival ?? instant : instant
    forward(&output, began: began, ended: instant) { decoder, joining in
      decoder.consume(bytes, at: instant, to: &joining)
    }
    lastArrival = instant
  }

  /// The same, for a caller that wants epochs alone.
  public mutating func consume(_ bytes: Span<UInt8>, at instant: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    withoutActuallyEscaping(epoch) { epoch in
      var output = EpochOutput(epoch: epoch)
      consume(bytes, at: instant, to: &output)
    }
  }

  /// Nothing has arrived for a while: an epoch that is complete by now is handed over.
  public mutating func idle(at instant: MonotonicInstant, to output: inout some NMEAOutput) {
    guard let deadline = nextDeadline, instant >= deadline else { return }
    let ended = lastArrival ?? instant
    forward(&output, began: ended, ended: ended, endsWith: .silence) { decoder, joining in
      decoder.idle(at: instant, to: &joining)
    }
  }

  /// The same, for a caller that wants epochs alone.
  public mutating func idle(at instant: MonotonicInstant, _ epoch: (Epoch) -> Void) {
    withoutActuallyEscaping(epoch) { epoch in
      var output = EpochOutput(epoch: epoch)
      idle(at: instant, to: &output)
    }
  }

  /// Nothing will arrive any more: what is at hand is handed over.
  public mutating func finish(to output: inout some NMEAOutput) {
    let ended = lastArrival ?? MonotonicInstant(nanoseconds: 0)
    forward(&output, began: ended, ended: ended, endsWith: .silence) { decoder, joining in
      decoder.finish(to: &joining)
    }
  }

  /// The same, for a caller that wants epochs alone.
  public mutating func finish(_ epoch: (Epoch) -> Void) {
    withoutActuallyEscaping(epoch) { epoch in
      var output = EpochOutput(epoch: epoch)
      finish(to: &output)
    }
  }

  private enum Ending {
    case silence, none
  }

  private mutating func forward<Output: NMEAOutput>(
    _ output: inout Output, began: MonotonicInstant, ended: MonotonicInstant, endsWith ending: Ending = .none,
    _ decode: (inout NMEADecoder, inout Joining<Output>) -> Void
  ) {
    // Moved in and out: nobody else holds them meanwhile, so that nothing is copied.
    let moved = joiner
    joiner = EpochJoiner(sentences.configuration)
    var joining = Joining(joiner: consume moved, output: consume output, began: began, ended: ended)
    decode(&sentences, &joining)
    if ending == .silence {
      joining.joiner.silence()
      joining.handOver()
    }
    joiner = joining.joiner
    output = joining.output
  }
}

/// Stands between the decoder of sentences and the caller's output.
private struct Joining<Output: NMEAOutput>: NMEAOutput {
  var joiner: EpochJoiner
  var output: Output
  /// When the first byte of the next frame arrived: of the first in a chunk perhaps with the chunk before.
  var began: MonotonicInstant
  let ended: MonotonicInstant

  mutating func handOver() {
    while let epoch = joiner.takeReady() { output.receive(epoch) }
  }

  mutating func receive(_ epoch: Epoch) {
    if joiner.hasOnlySentences {
      if joiner.passes(epoch) {
        handOver()
        output.receive(epoch)
      }
    } else {
      joiner.take(epoch)
      handOver()
    }
  }

  var wantsSentences: Bool { output.wantsSentences }

  mutating func receive(_ sentence: Sentence, from talker: Talker) {
    output.receive(sentence, from: talker)
  }

  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {
    output.receiveOther(content, in: bytes)
  }

  mutating func receive(_ error: NMEAError) {
    output.receive(error)
  }

  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    output.receiveUBX(class: frameClass, id: id, payload, in: bytes)
    joiner.take(UBXIdentifier(frameClass, id), bytes.extracting(payload), began: began, ended: ended)
    began = ended
    handOver()
  }

  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    output.receiveRTCM3(payload, in: bytes)
  }
}

/// Hands epochs to a closure.
private struct EpochOutput: NMEAOutput {
  let epoch: (Epoch) -> Void

  func receive(_ epoch: Epoch) {
    self.epoch(epoch)
  }
}
