import Glibc
import LineProtocol

/// Writes text to a file descriptor, and ends quietly if the reader closes the pipe.
struct OutputStream {
  private let descriptor: Int32
  private let name: String
  /// Whether the reader of the output has closed the pipe, as `head` does.
  private(set) var isClosed = false

  init(_ descriptor: Int32 = STDOUT_FILENO, name: String = "the standard output") {
    self.descriptor = descriptor
    self.name = name
    // A write to a closed pipe must fail with an error, and must not end the process.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  mutating func flush(_ buffer: inout TextBuffer) throws(FileError) {
    var start = 0
    while start < buffer.count, !isClosed {
      let written = unsafe buffer.bytes.withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress! + start, bytes.count - start)
      }
      if written >= 0 {
        start += written
      } else if errno == EPIPE {
        isClosed = true
      } else if errno == EAGAIN {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&request, 1, -1)
      } else if errno != EINTR {
        throw FileError("write", name, errno)
      }
    }
    buffer.removeAll()
  }
}

extension OutputStream {
  /// Creates a file, or replaces its content.
  /// - Parameter mode: The permission bits of a new file.
  static func makeFile(of text: String, at path: String, mode: mode_t) throws(FileError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError("write", path, errno) }
    defer { close(descriptor) }
    var buffer = TextBuffer(capacity: text.utf8.count)
    buffer.append(text)
    var stream = OutputStream(descriptor, name: path)
    try stream.flush(&buffer)
  }
}
