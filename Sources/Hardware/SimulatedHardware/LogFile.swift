import Glibc
import Hardware
import OperatingSystem

/// A file with a recording of a receiver's bytes, open for reading.
struct LogFile: ~Copyable {
  private static let chunk = 16_384

  private let path: String
  private let descriptor: Int32
  private var isBegun = false

  /// Opens a recording.
  /// - Throws: `HardwareError` if the file does not exist, is empty, or is not a regular file.
  init(path: String) throws(HardwareError) {
    descriptor = try LogFile.opened(path)
    self.path = path
  }

  deinit {
    close(descriptor)
  }

  /// Returns the next bytes of the recording; nil at the end of the file.
  /// - Throws: `HardwareError` if the read fails, or if the file is compressed.
  mutating func read() throws(HardwareError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: LogFile.chunk)
    // The count that `read` receives is the size of the array.
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw HardwareError(.failed, "read", path, cause: systemErrorText(errno)) }
    bytes.removeLast(bytes.count - count)
    // The first bytes of a gzip file. (RFC 1952)
    if !isBegun, bytes.starts(with: [0x1F, 0x8B, 0x08]) {
      throw HardwareError(
        .unsuitable, "replay", path, cause: "it is compressed with gzip", remedy: "decompress it: gunzip \(path)")
    }
    isBegun = true
    return count > 0 ? bytes : nil
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
