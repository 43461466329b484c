public import Base
import GNSS

/// A decoder that converts a receiver's bytes to epochs (an epoch is all data of one instant).
///
/// The decoder has no clock. The caller passes the arrival time of the bytes, and calls `idle` at `nextDeadline`. The
/// decoder continues after every invalid input.
///
///     var decoder = NMEADecoder()
///     decoder.consume(bytes, at: now) { epoch in … }
public struct NMEADecoder: EpochDecoder, Sendable {
  /// The settings of the decoder, for example whether an NMEA sentence must have a checksum.
  public let configuration: NMEAConfiguration
  private var scanner = FrameScanner()
  private var reader: SentenceReader
  private var text = TextEncoding()
  /// The arrival time of the latest bytes; nil before the first bytes.
  private var lastArrival: MonotonicInstant?
  private var frameBegan = MonotonicInstant(nanoseconds: 0)
  private var isSilent = false

  /// Creates a decoder that has not yet received data.
  public init(configuration: NMEAConfiguration = NMEAConfiguration()) {
    self.configuration = configuration
    self.reader = SentenceReader(configuration)
  }

  /// The counts of bytes, NMEA sentences, errors and epochs (data sets of one instant) since the creation of the
  /// decoder.
  public var statistics: Statistics {
    var statistics = reader.statistics
    statistics.skippedBytes = scanner.skippedBytes
    statistics.lateSentences = reader.assembler.lateSentences
    return statistics
  }

  package var isInsideFrame: Bool { scanner.isInsideFrame }

  /// The instant at which the caller must call `idle`, unless bytes arrive before; nil if the decoder has no incomplete
  /// data.
  // The property is stored, because the getter of a computed property would copy the decoder for each read.
  public private(set) var nextDeadline: MonotonicInstant?

  private mutating func setDeadline() {
    let isAwaited = !isSilent && (reader.assembler.awaitsEnd || scanner.isInsideFrame)
    nextDeadline = isAwaited ? lastArrival.map { $0 + silenceTimeout } : nil
  }

  /// The silence that ends a receiver epoch (all sentences of one instant): if no byte arrives for this duration, the
  /// epoch is complete. The silence is longer inside a sentence, and if a known last sentence is still missing.
  private var silenceTimeout: Duration {
    let gap = reader.assembler.idleGap
    return scanner.isInsideFrame || reader.assembler.knowsEnd ? gap * 5 : gap
  }

  /// Decodes bytes that arrived together, and passes each result to `output`.
  /// - Parameters:
  ///   - bytes: Any part of the receiver's data, also a part of a sentence.
  ///   - instant: The arrival time of the bytes.
  ///   - output: The destination of the decoded data and of errors.
  public mutating func consume(
    _ bytes: Span<UInt8>, at instant: MonotonicInstant, to output: inout some NMEAOutput
  ) {
    if let lastArrival, lastArrival.duration(to: instant) >= silenceTimeout { handleSilence(&output) }
    lastArrival = instant
    isSilent = false
    reader.statistics.bytes &+= bytes.count
    if configuration.mayBeUTF16 { text.examine(bytes) }
    if !scanner.isInsideFrame { frameBegan = instant }
    if text.isWide {
      let narrowed = text.narrow(bytes)
      NMEADecoder.scan(narrowed.span, at: instant, &frameBegan, &scanner, &reader, &output)
    } else {
      NMEADecoder.scan(bytes, at: instant, &frameBegan, &scanner, &reader, &output)
    }
    setDeadline()
  }

  /// Passes the current epoch (all data of one instant) to `output`, if the receiver has paused until `nextDeadline`.
  /// `instant` is the present time.
  public mutating func idle(at instant: MonotonicInstant, to output: inout some NMEAOutput) {
    guard let nextDeadline, instant >= nextDeadline else { return }
    handleSilence(&output)
  }

  /// Passes the current epoch (all data of one instant) to `output`, because the input has ended.
  public mutating func finish(to output: inout some NMEAOutput) {
    let ended = lastArrival ?? frameBegan
    NMEADecoder.drain(isEnd: true, frameBegan: frameBegan, ended: ended, &scanner, &reader, &output)
    reader.closeEpoch(&output)
    setDeadline()
  }

  private mutating func handleSilence(_ output: inout some NMEAOutput) {
    let ended = lastArrival ?? frameBegan
    isSilent = true
    NMEADecoder.drain(isEnd: false, frameBegan: frameBegan, ended: ended, &scanner, &reader, &output)
    reader.handleSilence(&output)
    setDeadline()
  }

  private static func scan(
    _ bytes: Span<UInt8>, at instant: MonotonicInstant, _ frameBegan: inout MonotonicInstant,
    _ scanner: inout FrameScanner, _ reader: inout SentenceReader, _ output: inout some NMEAOutput
  ) {
    var position = 0
    reader.began = instant
    reader.ended = instant
    while true {
      guard let frame = scanner.next(in: bytes, from: &position) else { break }
      if frame.isBuffered {
        reader.began = frameBegan
        reader.read(frame, in: scanner.buffered, &output)
        reader.began = instant
        // If the scanner now contains another unfinished frame, that frame began in the current chunk.
        frameBegan = instant
      } else {
        reader.read(frame, in: bytes, &output)
      }
    }
  }

  private static func drain(
    isEnd: Bool, frameBegan: MonotonicInstant, ended: MonotonicInstant, _ scanner: inout FrameScanner,
    _ reader: inout SentenceReader, _ output: inout some NMEAOutput
  ) {
    reader.began = frameBegan
    reader.ended = ended
    while let frame = isEnd ? scanner.nextAtEnd() : scanner.nextAfterSilence() {
      reader.read(frame, in: scanner.buffered, &output)
    }
  }
}
