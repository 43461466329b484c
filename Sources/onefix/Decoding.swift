import Clocks
import Glibc
import LineProtocol
import NMEA
import SystemClock
import TrackFormats

/// What is made of a receiver's bytes.
protocol DecodeSink: NMEAOutput {
  /// What has been made and not yet written.
  var buffer: TextBuffer { get set }
  mutating func begin()
  mutating func end(_ statistics: Statistics)
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
  private var decoder = NMEADecoder(configuration: .replay)
  private var progress: ProgressBar?
  /// Time as the decoder sees it: it stands still while a copied file pauses, and in regular files.
  private var instant = MonotonicInstant(nanoseconds: 0)
  private var lastRead: MonotonicInstant?
  private var isReceiver = false

  init(_ file: consuming InputFile, output: OutputStream = OutputStream()) {
    self.output = output
    progress = ProgressBar(size: file.size)
    self.file = file
  }

  mutating func run(_ sink: inout some DecodeSink) throws(FileError) {
    var bytes = [UInt8](repeating: 0, count: 1 << 17)
    sink.begin()
    if file.isLive { try output.flush(&sink.buffer) }
    defer { progress?.clear() }
    reading: while !output.isClosed {
      switch try file.read(into: &bytes, until: deadline) {
      case .bytes(let count):
        if file.isLive { advance(count) }
        decoder.consume(bytes.span.extracting(0..<count), at: instant, to: &sink)
        progress?.advance(by: count)
        if file.isLive || sink.buffer.count >= Decoding.worthWriting { try output.flush(&sink.buffer) }
      case .silence:
        advance(0)
        decoder.idle(at: instant, to: &sink)
        try output.flush(&sink.buffer)
      case .end: break reading
      }
    }
    decoder.finish(to: &sink)
    sink.end(decoder.statistics)
    try output.flush(&sink.buffer)
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
