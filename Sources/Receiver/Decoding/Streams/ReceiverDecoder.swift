public import Base
import GNSS

/// A decoder of a receiver's bytes into epochs. The bytes may mix NMEA 0183, UBX and RTCM 3.
///
/// The decoder creates exactly one epoch for each instant that the receiver reports (`EpochJoiner`). It has no clock.
/// The caller passes the time of arrival, and calls `idle` if no byte arrives before `nextDeadline`.
public struct ReceiverDecoder: EpochDecoder, Sendable {
  private var sentences: NMEADecoder
  /// The joiner, as the only element: an array moves without its elements.
  private var joiner: [EpochJoiner]
  /// The duration of silence after which an epoch from sentences no longer waits for NAV-PVT.
  private let gap: Duration
  private var lastArrival: MonotonicInstant?

  /// Creates a decoder in its initial state.
  public init(configuration: NMEAConfiguration = NMEAConfiguration()) {
    sentences = NMEADecoder(configuration: configuration)
    joiner = [EpochJoiner(configuration)]
    gap = configuration.idleGap
  }

  /// The counts of the input and of the results since the decoder was created.
  public var statistics: Statistics { sentences.statistics }
  /// The number of UBX frames with a correct checksum but an invalid payload.
  public var frameErrors: Int { joiner[0].frameErrors }

  /// The time at which the caller must call `idle` if no byte arrives before; nil if a silence would have no effect.
  // The property is stored, because the getter of a computed property would copy the decoder for each read.
  public private(set) var nextDeadline: MonotonicInstant?

  private mutating func setDeadline() {
    nextDeadline = sentences.nextDeadline
    guard let lastArrival, let timeout = joiner[0].idleTimeout(gap: gap) else { return }
    let binary = lastArrival + timeout
    nextDeadline = nextDeadline.map { max($0, binary) } ?? binary
  }

  /// Decodes bytes that arrived together, and passes all results to the output.
  public mutating func consume(
    _ bytes: Span<UInt8>, at instant: MonotonicInstant, to output: inout some NMEAOutput
  ) {
    if let deadline = nextDeadline, instant >= deadline { idle(at: instant, to: &output) }
    let began = sentences.isInsideFrame ? lastArrival ?? instant : instant
    lastArrival = instant
    forward(&output, began: began, ended: instant) { decoder, joining in
      decoder.consume(bytes, at: instant, to: &joining)
    }
  }

  /// Handles a silence of the line: passes all complete epochs to the output if `nextDeadline` has passed.
  public mutating func idle(at instant: MonotonicInstant, to output: inout some NMEAOutput) {
    guard let deadline = nextDeadline, instant >= deadline else { return }
    let ended = lastArrival ?? instant
    forward(&output, began: ended, ended: ended, endsWith: .silence) { decoder, joining in
      decoder.idle(at: instant, to: &joining)
    }
  }

  /// Handles the end of the input: passes the remaining epochs to the output.
  public mutating func finish(to output: inout some NMEAOutput) {
    let ended = lastArrival ?? MonotonicInstant(nanoseconds: 0)
    forward(&output, began: ended, ended: ended, endsWith: .silence) { decoder, joining in
      decoder.finish(to: &joining)
    }
  }

  private enum Ending {
    case silence, none
  }

  private mutating func forward<Output: NMEAOutput>(
    _ output: inout Output, began: MonotonicInstant, ended: MonotonicInstant, endsWith ending: Ending = .none,
    _ decode: (inout NMEADecoder, inout Joining<Output>) -> Void
  ) {
    // During this call, only `joining` contains the joiner and the output, so Swift changes both in place.
    var joining = Joining(joiner: [], output: consume output, began: began, ended: ended)
    swap(&joiner, &joining.joiner)
    decode(&sentences, &joining)
    if ending == .silence {
      joining.joiner[0].silence()
      joining.handOver()
    }
    swap(&joiner, &joining.joiner)
    output = joining.output
    setDeadline()
  }
}

/// The output of the sentence decoder. It joins the epochs, and passes all other results to the caller's output.
private struct Joining<Output: NMEAOutput>: NMEAOutput {
  var joiner: [EpochJoiner]
  var output: Output
  /// The arrival time of the first byte of the next frame, which may be in the previous chunk.
  var began: MonotonicInstant
  let ended: MonotonicInstant

  mutating func handOver() {
    while let epoch = joiner[0].removeFirstReady() { output.receive(epoch) }
  }

  mutating func receive(_ epoch: Epoch) {
    if joiner[0].hasOnlySentences {
      if joiner[0].passes(epoch) {
        handOver()
        output.receive(epoch)
      }
    } else {
      joiner[0].process(epoch)
      handOver()
    }
  }

  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {
    output.receiveOther(content, in: bytes)
  }

  mutating func receive(_ error: NMEAError) {
    output.receive(error)
  }

  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    output.receiveUBX(class: frameClass, id: id, payload, in: bytes)
    joiner[0].process(UBXIdentifier(frameClass, id), bytes.extracting(payload), began: began, ended: ended)
    began = ended
    handOver()
  }

  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    output.receiveRTCM3(payload, in: bytes)
  }
}
