import Glibc
import Gzip
import Hardware
import OperatingSystem

/// A file with recorded bytes of a receiver, open for reading. The file may be compressed with gzip.
struct LogFile: ~Copyable {
  private static let chunk = 16_384

  private let path: String
  private let descriptor: Int32
  private var reader: PlainReader

  /// Opens a log. Throws `HardwareError` if the file does not exist, is empty, or is not a regular file.
  init(path: String) throws(HardwareError) {
    descriptor = try LogFile.opened(path)
    self.path = path
    reader = PlainReader()
  }

  deinit {
    close(descriptor)
  }

  /// Returns the next uncompressed bytes; nil at the end of the file. Throws `HardwareError` if the read fails, or the
  /// compressed data is damaged or truncated.
  mutating func read() throws(HardwareError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: LogFile.chunk)
    let (path, descriptor) = (path, descriptor)
    let arrival = try reader.read(into: &bytes) { buffer, offset throws(HardwareError) in
      let room = buffer.count - offset
      // The call does not write to the first `offset` bytes of the buffer, and it writes at most `room` bytes after
      // them.
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress! + offset, room) }
      guard count >= 0 else {
        throw HardwareError(.failed, "read", path, cause: systemErrorText(errno))
      }
      return .bytes(count)
    }
    switch arrival {
    case .bytes(let count):
      bytes.removeLast(bytes.count - count)
      return bytes
    case .end, .nothing: return nil
    case .damage(let error):
      throw HardwareError(.failed, "read", path, cause: "\(error)", remedy: "check the file with gzip --test")
    }
  }

  private static func opened(_ path: String) throws(HardwareError) -> Int32 {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw refusal(of: path, errno) }
    var status = stat()
    // The pointer is valid during the call.
    let result = unsafe fstat(descriptor, &status)
    let kind = status.st_mode & S_IFMT
    guard result == 0, kind == S_IFREG, status.st_size > 0 else {
      close(descriptor)
      throw HardwareError(
        .unsuitable, "replay", path,
        cause: kind == S_IFDIR ? "it is a directory" : kind == S_IFREG ? "it is empty" : "it is not a regular file",
        remedy: kind == S_IFCHR ? "for a serial port, use uart:\(path)" : "specify a file with a receiver's sentences")
    }
    return descriptor
  }

  private static func refusal(of path: String, _ number: Int32) -> HardwareError {
    let cause = systemErrorText(number)
    return switch number {
    case ENOENT, ENOTDIR: HardwareError(.absent, "replay", path, cause: cause, remedy: "is the name correct? see ls")
    case EACCES, EPERM:
      HardwareError(.notPermitted, "replay", path, cause: cause, remedy: "make it readable, for example with chmod a+r")
    default: HardwareError(.failed, "replay", path, cause: cause)
    }
  }
}
