public import Base
import GNSS

/// A decoder that converts a receiver's bytes to epochs (an epoch is all data of one instant). The bytes may mix the
/// protocols NMEA 0183, UBX and RTCM 3.
///
/// The decoder creates exactly one epoch for each instant that the receiver reports. The decoder has no clock: the
/// caller passes the arrival time of the bytes, and calls `idle` at `nextDeadline`.
public struct ReceiverDecoder: EpochDecoder, Sendable {
  private var sentences: NMEADecoder
  /// The `EpochJoiner` as the only element of an array, because a move of an array does not copy the large element.
  private var joiner: [EpochJoiner]
  /// The duration without bytes after which data from NMEA sentences no longer waits for the UBX message NAV-PVT of the
  /// same instant.
  private let gap: Duration
  private var lastArrival: MonotonicInstant?

  /// Creates a decoder that waits for the first byte.
  public init(configuration: NMEAConfiguration = NMEAConfiguration()) {
    sentences = NMEADecoder(configuration: configuration)
    joiner = [EpochJoiner(configuration)]
    gap = configuration.idleGap
  }

  /// The counts of bytes, NMEA sentences, errors and epochs (data sets of one instant) since the decoder was created.
  public var statistics: Statistics { sentences.statistics }
  /// The count of UBX frames with a correct checksum but an invalid payload.
  public var frameErrors: Int { joiner[0].frameErrors }

  /// The instant at which the caller must call `idle` if no byte arrives before; nil if no data is incomplete.
  // The property is stored, because the getter of a computed property would copy the decoder for each read.
  public private(set) var nextDeadline: MonotonicInstant?

  private mutating func setDeadline() {
    nextDeadline = sentences.nextDeadline
    guard let lastArrival, let timeout = joiner[0].idleTimeout(gap: gap) else { return }
    let binary = lastArrival + timeout
    nextDeadline = nextDeadline.map { max($0, binary) } ?? binary
  }

  /// Decodes bytes that arrived together at an instant, and passes each result to `output`.
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

  /// Emits the data of the latest instant if `nextDeadline` has passed. `instant` is the present time.
  public mutating func idle(at instant: MonotonicInstant, to output: inout some NMEAOutput) {
    guard let deadline = nextDeadline, instant >= deadline else { return }
    let ended = lastArrival ?? instant
    forward(&output, began: ended, ended: ended, endsWith: .silence) { decoder, joining in
      decoder.idle(at: instant, to: &joining)
    }
  }

  /// Emits the data of the latest instant at the end of the input.
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

/// The destination of the NMEA decoder's results. The type combines the sentences and the UBX messages of one instant,
/// and passes all other results to `output`.
private struct Joining<Output: NMEAOutput>: NMEAOutput {
  var joiner: [EpochJoiner]
  var output: Output
  /// The arrival time of the first byte of the next frame, which may be in an earlier chunk of the input.
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
