import Clocks
import Glibc
import Gzip
import OperatingSystem

/// The file, the pipe or the device that is decoded, as it was before gzip compressed it.
struct InputFile: ~Copyable {
  /// What a read gave.
  enum Arrival {
    /// So many bytes, in the buffer.
    case bytes(Int)
    /// Nothing for as long as was to be waited.
    case silence
    case end
    /// The rest of it cannot be had.
    case damage(GzipError)
  }

  /// Bytes in a regular file; nil for what has no size.
  let size: Int?
  /// Bytes of it that were read, compressed as they may be.
  private(set) var consumed = 0
  /// Whether it may be a receiver, which sends when it measures.
  var isLive: Bool { size == nil && !reader.isCompressed }
  /// As errors call it.
  let name: String
  private let descriptor: Int32
  private var reader = PlainReader()

  /// `-` is the standard input.
  init(_ path: String) throws(FileError) {
    name = path == "-" ? "the standard input" : path
    descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    if descriptor < 0 { throw FileError("open", name, errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError("open", name, errno) }
    if status.st_mode & S_IFMT == S_IFDIR { throw FileError("read", name, EISDIR) }
    size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// Waits for bytes, at most until the instant where there is one.
  mutating func read(into buffer: inout [UInt8], until deadline: MonotonicInstant?) throws(FileError) -> Arrival {
    let (descriptor, name, hasSize) = (descriptor, name, size != nil)
    var fetched = 0
    let arrival = try reader.read(into: &buffer) { buffer, offset throws(FileError) in
      if !hasSize, !InputFile.wait(for: descriptor, until: deadline) { return .nothing }
      let count = try InputFile.read(descriptor, name, hasSize, into: &buffer, from: offset)
      fetched += count
      return .bytes(count)
    }
    consumed += fetched
    return switch arrival {
    case .bytes(let count): .bytes(count)
    case .nothing: .silence
    case .end: .end
    case .damage(let error): .damage(error)
    }
  }

  /// Waits for bytes, or for the user who wants no more. False if nothing has come until the deadline.
  private static func wait(for descriptor: Int32, until deadline: MonotonicInstant?) -> Bool {
    var milliseconds = -1.0
    if let deadline {
      let left = SystemClock.monotonic.duration(to: deadline)
      // To the next millisecond: not before the deadline.
      milliseconds = max(0, min(60_000, left / .milliseconds(1))).rounded(.up)
    }
    var requests = [descriptor, Interruption.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // The count is the array's own.
    return unsafe poll(&requests, nfds_t(requests.count), Int32(milliseconds)) != 0
  }

  /// None at the end, or once the user wants no more.
  private static func read(
    _ descriptor: Int32, _ name: String, _ hasSize: Bool, into buffer: inout [UInt8], from offset: Int
  ) throws(FileError) -> Int {
    let room = buffer.count - offset
    while Interruption.signal == nil {
      // As many bytes as the buffer has room for behind the offset.
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress! + offset, room) }
      if count >= 0 { return count }
      // A terminal whose other side is gone.
      if errno == EIO, !hasSize { return 0 }
      if errno != EINTR { throw FileError("read", name, errno) }
    }
    return 0
  }
}
