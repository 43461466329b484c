import ArgumentParser
import Glibc
import Base

/// A text output to a file descriptor. If the reader closes a pipe, the output ends without an error.
struct OutputStream {
  private let descriptor: Int32
  private let name: String
  /// Whether the program at the other end of the pipe has closed the pipe, as `head` does.
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
  /// Writes a text to a new file, or replaces the content of an existing file.
  /// - Parameter mode: The permission bits of a new file, as in `0o600`.
  static func makeFile(of text: String, at path: String, mode: mode_t) throws(FileError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError("write", path, errno) }
    defer { close(descriptor) }
    var buffer = TextBuffer(capacity: text.utf8.count)
    buffer.append(text)
    // The path may be that of a pipe.
    var stream = OutputStream(descriptor, name: path)
    try stream.flush(&buffer)
  }
}

/// Writes text lines to standard output without a delay, for a program that reads the output through a pipe. If the
/// lines cannot be written, the function prints the error.
/// - Throws: The exit status. If the reader has closed the pipe, as `head` does, the exit status is that of success.
func printLines(_ lines: [String]) throws {
  var buffer = TextBuffer()
  for line in lines { buffer.append("\(line)\n") }
  var output = OutputStream()
  try filesOrExit { () throws(FileError) in try output.flush(&buffer) }
  if output.isClosed { throw ExitCode.success }
}

func printLine(_ line: String) throws { try printLines([line]) }
