public import Clocks
import Framing
public import GNSS

/// Bytes of a receiver to epochs.
///
/// It owns no clock: the caller says when bytes arrived, and calls `idle` when `nextDeadline` has passed without any.
/// It allocates nothing for a sentence, and no input makes it stop.
///
///     var decoder = NMEADecoder()
///     decoder.consume(bytes, at: now) { epoch in … }
public struct NMEADecoder: Sendable {
  /// What it was told of its receiver.
  public let configuration: NMEAConfiguration
  private var scanner = FrameScanner()
  private var reader: SentenceReader
  private var text = TextEncoding()
  /// When the last byte arrived, and when the first of an unfinished frame did.
  private var lastArrival: MonotonicInstant?
  private var frameBegan = MonotonicInstant(nanoseconds: 0)
  /// Whether the silence since then was told: what is unfinished may go on, but is waited for no more.
  private var isSilent = false

  /// A decoder that has seen nothing yet.
  public init(configuration: NMEAConfiguration = NMEAConfiguration()) {
    self.configuration = configuration
    self.reader = SentenceReader(configuration)
  }

  /// What went through it so far.
  public var statistics: Statistics {
    var statistics = reader.statistics
    statistics.skippedBytes = scanner.skippedBytes
    statistics.lateSentences = reader.assembler.lateSentences
    return statistics
  }

  /// Whether a frame has begun and its end has not arrived.
  package var isInsideFrame: Bool { scanner.isInsideFrame }

  /// When to call `idle` if nothing arrives before; nil while nothing waits for a silence.
  public var nextDeadline: MonotonicInstant? {
    guard let lastArrival, !isSilent, reader.assembler.awaitsEnd || scanner.isInsideFrame else { return nil }
    return lastArrival + patience
  }

  /// A frame that has begun, or a last sentence that is known, is worth to wait for.
  private var patience: Duration {
    let gap = reader.assembler.idleGap
    return scanner.isInsideFrame || reader.assembler.knowsEnd ? gap * 5 : gap
  }

  /// Reads bytes that arrived together.
  public mutating func consume(
    _ bytes: Span<UInt8>, at instant: MonotonicInstant, to output: inout some NMEAOutput
  ) {
    if let lastArrival, lastArrival.duration(to: instant) >= patience { silence(&output) }
    lastArrival = instant
    isSilent = false
    reader.statistics.bytes &+= bytes.count
    if configuration.mayBeUTF16 { text.look(at: bytes) }
    if !scanner.isInsideFrame { frameBegan = instant }
    if text.isWide {
      let narrowed = text.narrow(bytes)
      NMEADecoder.scan(narrowed.span, at: instant, &frameBegan, &scanner, &reader, &output)
    } else {
      NMEADecoder.scan(bytes, at: instant, &frameBegan, &scanner, &reader, &output)
    }
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
    guard let nextDeadline, instant >= nextDeadline else { return }
    silence(&output)
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
    let ended = lastArrival ?? frameBegan
    NMEADecoder.drain(isEnd: true, frameBegan: frameBegan, ended: ended, &scanner, &reader, &output)
    reader.closeEpoch(&output)
  }

  /// The same, for a caller that wants epochs alone.
  public mutating func finish(_ epoch: (Epoch) -> Void) {
    withoutActuallyEscaping(epoch) { epoch in
      var output = EpochOutput(epoch: epoch)
      finish(to: &output)
    }
  }

  private mutating func silence(_ output: inout some NMEAOutput) {
    let ended = lastArrival ?? frameBegan
    isSilent = true
    NMEADecoder.drain(isEnd: false, frameBegan: frameBegan, ended: ended, &scanner, &reader, &output)
    reader.silence(&output)
  }

  private static func scan(
    _ bytes: Span<UInt8>, at instant: MonotonicInstant, _ frameBegan: inout MonotonicInstant,
    _ scanner: inout FrameScanner, _ reader: inout SentenceReader, _ output: inout some NMEAOutput
  ) {
    var position = 0
    let wants = output.wantsSentences
    reader.began = instant
    reader.ended = instant
    while true {
      if scanner.holdsNothing {
        while let sentence = MarkedSentence(usualIn: bytes, at: &position) {
          reader.read(sentence, in: bytes, wants, &output)
        }
      }
      guard let frame = scanner.next(in: bytes, from: &position) else { break }
      if frame.isBuffered {
        reader.began = frameBegan
        reader.read(frame, in: scanner.buffered, wants, &output)
        reader.began = instant
        // What else is unfinished began in this chunk.
        frameBegan = instant
      } else {
        reader.read(frame, in: bytes, wants, &output)
      }
    }
  }

  private static func drain(
    isEnd: Bool, frameBegan: MonotonicInstant, ended: MonotonicInstant, _ scanner: inout FrameScanner,
    _ reader: inout SentenceReader, _ output: inout some NMEAOutput
  ) {
    let wants = output.wantsSentences
    reader.began = frameBegan
    reader.ended = ended
    while let frame = isEnd ? scanner.nextAtEnd() : scanner.nextAfterSilence() {
      reader.read(frame, in: scanner.buffered, wants, &output)
    }
  }
}

/// Hands epochs to a closure.
private struct EpochOutput: NMEAOutput {
  let epoch: (Epoch) -> Void

  func receive(_ epoch: Epoch) {
    self.epoch(epoch)
  }
}
