public import Base
import GNSS

/// A decoder that converts a receiver's bytes to epochs (an epoch is all data of one instant). The bytes may mix the
/// protocols NMEA 0183, UBX and RTCM 3.
///
/// The decoder creates exactly one epoch for each instant that the receiver reports. The decoder has no clock: the
/// caller passes the arrival time of the bytes, and calls `idle` at `nextDeadline`.
public struct ReceiverDecoder: EpochDecoder, Sendable {
  private var sentences: NMEADecoder
  /// The `EpochJoiner` as the only element of an array. An array makes the moves of this large value cheap.
  private var joiner: [EpochJoiner]
  /// The maximum time without bytes for which data from NMEA sentences waits for the UBX message NAV-PVT of the same
  /// instant.
  private let gap: Duration
  private var lastArrival: MonotonicInstant?

  /// Creates a decoder that has not yet received data.
  public init(configuration: NMEAConfiguration = NMEAConfiguration()) {
    sentences = NMEADecoder(configuration: configuration)
    joiner = [EpochJoiner(configuration)]
    gap = configuration.idleGap
  }

  /// The counts of bytes, NMEA sentences, errors and epochs (data sets of one instant) since the creation of the
  /// decoder.
  public var statistics: Statistics { sentences.statistics }
  /// The count of UBX frames with an invalid payload, although their checksum was correct.
  public var frameErrors: Int { joiner[0].frameErrors }

  /// The instant at which the caller must call `idle`, unless bytes arrive before; nil if the decoder has no incomplete
  /// data.
  // The property is stored, because the getter of a computed property would copy the decoder for each read.
  public private(set) var nextDeadline: MonotonicInstant?

  private mutating func setDeadline() {
    nextDeadline = sentences.nextDeadline
    guard let lastArrival, let timeout = joiner[0].idleTimeout(gap: gap) else { return }
    let binary = lastArrival + timeout
    nextDeadline = nextDeadline.map { max($0, binary) } ?? binary
  }

  /// Decodes bytes that arrived together at `instant`, and passes each result to `output`.
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

  /// Passes the current epoch (all data of one instant) to `output`, if the receiver has paused until `nextDeadline`.
  /// `instant` is the present time.
  public mutating func idle(at instant: MonotonicInstant, to output: inout some NMEAOutput) {
    guard let deadline = nextDeadline, instant >= deadline else { return }
    let ended = lastArrival ?? instant
    forward(&output, began: ended, ended: ended, endsWith: .silence) { decoder, joining in
      decoder.idle(at: instant, to: &joining)
    }
  }

  /// Passes the current epoch (all data of one instant) to `output`, because the input has ended.
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

/// A type that accepts the results of the NMEA decoder. The type combines NMEA sentences and UBX messages of one
/// instant, and passes all other results to `output`.
private struct Joining<Output: NMEAOutput>: NMEAOutput {
  var joiner: [EpochJoiner]
  var output: Output
  /// The arrival time of the next frame's first byte. The byte may have arrived earlier than the present chunk of
  /// input.
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
