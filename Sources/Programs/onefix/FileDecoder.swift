import Base
import Decoding
import Glibc
import OperatingSystem

/// An output of decoded GNSS data, which writes text into a buffer.
protocol DecodeSink: NMEAOutput {
  var buffer: TextBuffer { get set }
  mutating func begin()
  /// Writes the end of the text, after all data was decoded.
  /// - Parameter unreadable: The count of UBX frames with invalid contents.
  mutating func end(_ statistics: Statistics, unreadable: Int)
  /// Returns the reason why the file has no usable data; nil if the file has usable data.
  func shortfall(of statistics: Statistics) -> FileError.Cause?
}

struct FileDecoder: ~Copyable {
  /// The minimum count of bytes in one read that proves that the input is not a receiver. A receiver at 460,800 baud
  /// sends fewer bytes in 50 ms.
  ///
  /// The program must know this, because only in a receiver's data a pause ends an epoch (all data of one instant).
  private static let receiverRead = 4096
  /// The size of the buffer, in bytes, from which the buffer is written to the output.
  private static let worthWriting = 65_536

  private var file: InputFile
  private var output: OutputStream
  private var decoder: ReceiverDecoder
  private var progress: ProgressBar?
  /// The present instant for the decoder. The decoder ends an epoch (all data of one instant) after a pause in the
  /// data. The instant changes only if the input is a receiver.
  private var instant = MonotonicInstant(nanoseconds: 0)
  private var lastRead: MonotonicInstant?
  private var isReceiver = false

  /// - Parameter requiresChecksum: Whether NMEA sentences without a checksum are errors.
  init(_ file: consuming InputFile, requiresChecksum: Bool = true, output: OutputStream = OutputStream()) {
    var configuration = NMEAConfiguration.replay
    configuration.requiresChecksum = requiresChecksum
    decoder = ReceiverDecoder(configuration: configuration)
    self.output = output
    progress = ProgressBar(size: file.size, at: SystemClock.monotonic)
    self.file = file
  }

  /// Decodes the whole input, and writes the result.
  /// - Throws: `FileError`, after all valid data was written.
  mutating func run(_ sink: inout some DecodeSink) throws(FileError) {
    sink.begin()
    if file.isLive { try output.flush(&sink.buffer) }
    var failure: FileError?
    do throws(FileError) {
      try read(&sink)
    } catch {
      if error.operation == "write" { throw error }
      failure = error
    }
    decoder.finish(to: &sink)
    sink.end(decoder.statistics, unreadable: decoder.frameErrors)
    try output.flush(&sink.buffer)
    if let failure { throw failure }
    if !output.isClosed, let cause = sink.shortfall(of: decoder.statistics) {
      throw FileError("decode", file.name, cause)
    }
  }

  private mutating func read(_ sink: inout some DecodeSink) throws(FileError) {
    var bytes = [UInt8](repeating: 0, count: 1 << 17)
    defer { progress?.clear() }
    while !output.isClosed {
      switch try file.read(into: &bytes, until: deadline) {
      case .bytes(let count):
        if file.isLive { advance(count) }
        decoder.consume(bytes.span.extracting(0..<count), at: instant, to: &sink)
        progress?.advance(to: file.consumed, at: SystemClock.monotonic)
        if file.isLive || sink.buffer.count >= FileDecoder.worthWriting { try output.flush(&sink.buffer) }
      case .silence:
        advance(0)
        decoder.idle(at: instant, to: &sink)
        try output.flush(&sink.buffer)
      case .end: return
      }
    }
  }

  /// The instant at which the current epoch (all data of one instant) ends if no more data arrives; nil if the input is
  /// not a receiver.
  private var deadline: MonotonicInstant? {
    guard isReceiver, let next = decoder.nextDeadline, let lastRead else { return nil }
    return lastRead + instant.duration(to: next)
  }

  private mutating func advance(_ count: Int) {
    let now = SystemClock.monotonic
    if isReceiver, let lastRead { instant = instant + lastRead.duration(to: now) }
    lastRead = now
    if count > 0 { isReceiver = count < FileDecoder.receiverRead }
  }
}

extension Statistics {
  var emptiness: FileError.Cause? {
    if bytes == 0 { return .empty }
    guard sentences + ignoredSentences + ubxFrames + rtcm3Frames == 0 else { return nil }
    return rejection ?? .noFrame(bytes: bytes)
  }

  /// The sentences that were rejected although their checksums are correct; nil if there is none.
  var rejection: FileError.Cause? {
    let rejected = fieldFaults.filter(\.fault.discardsSentence)
    return rejected.first.map { .rejected(sentences: rejected.reduce(0) { $0 + $1.count }, most: $0.fault.description) }
  }
}
