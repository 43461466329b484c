import Glibc
import LineProtocol

/// Where the output goes.
struct OutputStream {
  private let descriptor: Int32
  private var name: String { descriptor == STDOUT_FILENO ? "the standard output" : "the output" }
  /// Whether nobody reads any more, as behind `head`.
  private(set) var isClosed = false

  init(_ descriptor: Int32 = STDOUT_FILENO) {
    self.descriptor = descriptor
    // A reader that is gone is an error of the write, and no end of the process.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Writes what has gathered.
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
