import Base
import Glibc
import OperatingSystem

/// A file, pipe or device with data of a receiver.
struct InputFile: ~Copyable {
  enum Arrival {
    case bytes(Int)
    /// No data arrived before the deadline.
    case silence
    case end
  }

  /// The size of a regular file in bytes; nil for a pipe or a device.
  let size: Int?
  private(set) var consumed: Int
  /// Whether the input can be a receiver: a pipe or a device, but not a regular file.
  var isLive: Bool { size == nil }
  let name: String
  /// The shell command that reads the decompressed file, after the name of the program that decompresses; nil if one
  /// command cannot do both.
  private let decompression: String?
  /// The first bytes of compressed files, and the programs that decompress them. (RFC 1952 and RFC 8878 §3.1.1; the
  /// formats of xz, bzip2 and zip)
  private static let compressions: [(start: [UInt8], name: String, program: String)] = [
    ([0x1F, 0x8B, 0x08], "gzip", "zcat"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz", "xzcat"),
    ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "zstdcat"), (Array("BZh".utf8), "bzip2", "bzcat"),
    (Array("PK\u{3}\u{4}".utf8), "zip", "funzip"),
  ]
  private let descriptor: Int32

  /// Opens a file for reading. The path `-` means standard input.
  /// - Parameter command: The command of `onefix` that reads the file, for error messages; nil if this command cannot
  ///   read the file from the standard input.
  init(_ path: String, for command: String? = "decode") throws(FileError) {
    let name = path == "-" ? "the standard input" : path
    let opened = try InputFile.opened(path, name)
    self.name = name
    descriptor = opened.descriptor
    size = opened.size
    let source = path == "-" ? "" : " " + InputFile.quoted(path)
    decompression = command.map { "\(source) | onefix \($0) -" }
    consumed = 0
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// Returns a path as a word of the shell.
  private static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "-._/".utf8.contains(byte)
    }
    // The function compares Unicode scalars, because a Swift character can hide a quotation mark in a combined
    // character.
    return isPlain ? path : "'" + path.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }

  private static func opened(_ path: String, _ name: String) throws(FileError) -> (descriptor: Int32, size: Int?) {
    let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    if descriptor < 0 { throw FileError("open", name, errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError("open", name, errno) }
    if status.st_mode & S_IFMT == S_IFDIR { throw FileError("read", name, EISDIR) }
    return (descriptor, status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil)
  }

  /// Waits for bytes, and reads the available bytes.
  /// - Parameter deadline: The end of the wait; nil for no limit. A regular file has no wait.
  mutating func read(into buffer: inout [UInt8], until deadline: MonotonicInstant?) throws(FileError) -> Arrival {
    if isLive, !InputFile.wait(for: descriptor, until: deadline) { return .silence }
    let count = try fill(&buffer)
    if consumed == 0, let format = Self.compressions.first(where: { buffer.prefix(count).starts(with: $0.start) }) {
      let remedy = decompression.map { "decompress it: \(format.program)\($0)" }
      throw FileError(
        "read", name, .compressed(format.name, remedy: remedy ?? "write it to another file with \(format.program)"))
    }
    consumed += count
    return count == 0 ? .end : .bytes(count)
  }

  /// Waits for bytes or a signal. Returns false if neither arrived before the deadline.
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

  /// Reads bytes, and returns the count of bytes. The count is 0 at the end of the input and after a signal.
  private func fill(_ buffer: inout [UInt8]) throws(FileError) -> Int {
    while Interruption.signal == nil {
      // The count that `read` receives is the size of the array.
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count >= 0 { return count }
      // The other end of a pseudo-terminal is closed.
      if errno == EIO, isLive { return 0 }
      if errno != EINTR { throw FileError("read", name, errno) }
    }
    return 0
  }
}
