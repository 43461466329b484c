import Clocks
import Glibc
import Gzip
import LineProtocol
import NMEA
import ReceiverStream
import OperatingSystem

/// A writer that formats decoded data as text.
protocol DecodeSink: NMEAOutput {
  /// The formatted text that is not in the output yet.
  var buffer: TextBuffer { get set }
  /// Writes the beginning of the output.
  mutating func begin()
  /// Writes the end of the output.
  /// - Parameter unreadable: the number of UBX frames with invalid contents.
  mutating func end(_ statistics: Statistics, unreadable: Int)
  /// Checks whether the file contains the requested data. If the file contains the data, returns nil. If the data is
  /// missing, returns the reason.
  func shortfall(of statistics: Statistics) -> FileError.Cause?
}

/// Decodes a file.
struct FileDecoder: ~Copyable {
  /// The size of a read that separates two kinds of input. If a read returns fewer bytes than this number, the decoder
  /// assumes that the input is a receiver and that a pause in the data ends an epoch. If a read returns at least this
  /// number of bytes, the decoder assumes that a program copies a file, and ignores the pauses. At 460,800 baud, a
  /// receiver sends fewer bytes than this number in 50 ms.
  private static let receiverRead = 4096
  /// When the buffer contains at least this number of bytes, the decoder writes the contents of the buffer to the
  /// output.
  private static let worthWriting = 65_536

  private var file: InputFile
  private var output: OutputStream
  private var decoder = ReceiverDecoder(configuration: .replay)
  private var progress: ProgressBar?
  /// The time that the decoder uses to find the end of an epoch. If the input is a receiver, this time advances. If the
  /// input is a regular file, or a program that copies a file, this time does not advance.
  private var instant = MonotonicInstant(nanoseconds: 0)
  private var lastRead: MonotonicInstant?
  private var isReceiver = false

  init(_ file: consuming InputFile, output: OutputStream = OutputStream()) {
    self.output = output
    progress = ProgressBar(size: file.size, at: SystemClock.monotonic)
    self.file = file
  }

  /// Decodes the input to its end and writes the result.
  /// - Throws: `FileError`. Before the function throws an error, it writes all data that can be decoded.
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

  /// Reads and decodes the input to its end.
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
      case .damage(let error): throw FileError("read", file.name, .compression(error))
      }
    }
  }

  /// The time on the machine's clock at which the current epoch ends if no more data arrives.
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
  /// The reason why no data was decoded. Nil if some data was decoded.
  var emptiness: FileError.Cause? {
    if bytes == 0 { return .empty }
    return sentences + ignoredSentences + ubxFrames + rtcm3Frames == 0 ? .noFrame(bytes: bytes) : nil
  }
}
