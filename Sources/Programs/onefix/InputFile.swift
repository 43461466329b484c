import Base
import Glibc
import Gzip
import OperatingSystem

/// The file, pipe or device to decode. Compressed data is decompressed.
struct InputFile: ~Copyable {
  enum Arrival {
    case bytes(Int)
    /// The deadline passed without data.
    case silence
    case end
    /// The compressed data is damaged, so the rest cannot be read.
    case damage(GzipError)
  }

  /// The size of a regular file in bytes. Nil for pipes and devices.
  let size: Int?
  /// The number of bytes read from the file, before decompression.
  private(set) var consumed: Int
  /// Whether the input can be a receiver. False for regular files and for compressed data.
  var isLive: Bool { size == nil && !reader.isCompressed }
  let name: String
  private let descriptor: Int32
  private var reader: PlainReader

  /// Opens a file. The path `-` is standard input.
  init(_ path: String) throws(FileError) {
    let name = path == "-" ? "the standard input" : path
    let opened = try InputFile.opened(path, name)
    self.name = name
    descriptor = opened.descriptor
    size = opened.size
    consumed = 0
    reader = PlainReader()
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  private static func opened(_ path: String, _ name: String) throws(FileError) -> (descriptor: Int32, size: Int?) {
    let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    if descriptor < 0 { throw FileError("open", name, errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError("open", name, errno) }
    if status.st_mode & S_IFMT == S_IFDIR { throw FileError("read", name, EISDIR) }
    return (descriptor, status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil)
  }

  /// Waits for bytes and reads them.
  /// - Parameter deadline: the end of the wait; nil for no limit.
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

  /// Waits for bytes or an interruption. Returns false if the deadline passes.
  private static func wait(for descriptor: Int32, until deadline: MonotonicInstant?) -> Bool {
    var milliseconds = -1.0
    if let deadline {
      let left = SystemClock.monotonic.duration(to: deadline)
      // The time is rounded up, so that the wait does not end before the deadline.
      milliseconds = max(0, min(60_000, left / .milliseconds(1))).rounded(.up)
    }
    var requests = [descriptor, Interruption.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // The count that `poll` receives is the size of the array.
    return unsafe poll(&requests, nfds_t(requests.count), Int32(milliseconds)) != 0
  }

  /// Reads bytes. Returns 0 at the end of the input or after an interruption.
  private static func read(
    _ descriptor: Int32, _ name: String, _ hasSize: Bool, into buffer: inout [UInt8], from offset: Int
  ) throws(FileError) -> Int {
    let room = buffer.count - offset
    while Interruption.signal == nil {
      // `read` writes at most as many bytes as fit into the buffer after the offset.
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress! + offset, room) }
      if count >= 0 { return count }
      // The other end of a pseudo-terminal is closed.
      if errno == EIO, !hasSize { return 0 }
      if errno != EINTR { throw FileError("read", name, errno) }
    }
    return 0
  }
}
