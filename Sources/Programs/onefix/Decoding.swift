import Clocks
import Glibc
import Gzip
import LineProtocol
import NMEA
import ReceiverStream
import OperatingSystem

/// What is made of a receiver's bytes.
protocol DecodeSink: NMEAOutput {
  /// What has been made and not yet written.
  var buffer: TextBuffer { get set }
  mutating func begin()
  /// - Parameter unreadable: UBX frames whose contents are not what their message has.
  mutating func end(_ statistics: Statistics, unreadable: Int)
  /// Why all of it together is not what somebody wants who asked for it; nil where it is.
  func shortfall(of statistics: Statistics) -> FileError.Cause?
}

/// Takes a file through the decoder.
struct Decoding: ~Copyable {
  /// Reads shorter than this are a receiver's, whose pauses have a meaning: 50 ms at 460,800 baud are less. Whoever
  /// copies a file writes longer ones, and pauses because the disk or the processor is busy.
  private static let receiverRead = 4096
  /// Bytes of output that are worth a write.
  private static let worthWriting = 65_536

  private var file: InputFile
  private var output: OutputStream
  private var decoder = ReceiverDecoder(configuration: .replay)
  private var progress: ProgressBar?
  /// Time as the decoder sees it: it stands still while a copied file pauses, and in regular files.
  private var instant = MonotonicInstant(nanoseconds: 0)
  private var lastRead: MonotonicInstant?
  private var isReceiver = false

  init(_ file: consuming InputFile, output: OutputStream = OutputStream()) {
    self.output = output
    progress = ProgressBar(size: file.size, at: SystemClock.monotonic)
    self.file = file
  }

  /// - Throws: what went wrong, once all that could be decoded is written.
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

  /// Reads and decodes until the end.
  private mutating func read(_ sink: inout some DecodeSink) throws(FileError) {
    var bytes = [UInt8](repeating: 0, count: 1 << 17)
    defer { progress?.clear() }
    while !output.isClosed {
      switch try file.read(into: &bytes, until: deadline) {
      case .bytes(let count):
        if file.isLive { advance(count) }
        decoder.consume(bytes.span.extracting(0..<count), at: instant, to: &sink)
        progress?.advance(to: file.consumed, at: SystemClock.monotonic)
        if file.isLive || sink.buffer.count >= Decoding.worthWriting { try output.flush(&sink.buffer) }
      case .silence:
        advance(0)
        decoder.idle(at: instant, to: &sink)
        try output.flush(&sink.buffer)
      case .end: return
      case .damage(let error): throw FileError("read", file.name, .compression(error))
      }
    }
  }

  /// When a silence ends the epoch at hand, as the machine's clock counts.
  private var deadline: MonotonicInstant? {
    guard isReceiver, let next = decoder.nextDeadline, let lastRead else { return nil }
    return lastRead + instant.duration(to: next)
  }

  private mutating func advance(_ count: Int) {
    let now = SystemClock.monotonic
    if isReceiver, let lastRead { instant = instant + lastRead.duration(to: now) }
    lastRead = now
    if count > 0 { isReceiver = count < Decoding.receiverRead }
  }
}

extension Statistics {
  /// Why there is nothing that could be decoded; nil where there is.
  var emptiness: FileError.Cause? {
    if bytes == 0 { return .empty }
    return sentences + ignoredSentences + ubxFrames + rtcm3Frames == 0 ? .noFrame(bytes: bytes) : nil
  }
}
