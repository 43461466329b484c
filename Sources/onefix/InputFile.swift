import Clocks
import Glibc
import SystemClock

/// The file, the pipe or the device that is decoded.
struct InputFile: ~Copyable {
  /// What a read gave.
  enum Arrival {
    /// So many bytes, in the buffer.
    case bytes(Int)
    /// Nothing for as long as was to be waited.
    case silence
    case end
  }

  /// Bytes in a regular file; nil for what has no size.
  let size: Int?
  /// Whether it may be a receiver, which sends when it measures.
  var isLive: Bool { size == nil }
  private let name: String
  private let descriptor: Int32

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
  func read(into buffer: inout [UInt8], until deadline: MonotonicInstant?) throws(FileError) -> Arrival {
    if let deadline {
      let left = SystemClock.monotonic.duration(to: deadline)
      // To the next millisecond: not before the deadline.
      let milliseconds = max(0, min(60_000, left / .milliseconds(1))).rounded(.up)
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&request, 1, Int32(milliseconds)) == 0 { return .silence }
    }
    while !Interruption.isRequested {
      let capacity = buffer.count
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, capacity) }
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      // A terminal whose other side is gone.
      if errno == EIO, size == nil { return .end }
      if errno != EINTR { throw FileError("read", name, errno) }
    }
    return .end
  }
}
