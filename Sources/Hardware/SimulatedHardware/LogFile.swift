import Glibc
import Hardware
import OperatingSystem

/// A file with a recording of a receiver's bytes, open for reading.
struct LogFile: ~Copyable {
  private static let chunk = 16_384

  private let path: String
  private let file: OpenFile
  private var isBegun = false

  /// Opens a recording.
  /// - Throws: `HardwareError` if the file does not exist, is empty, or is not a regular file.
  init(path: String) throws(HardwareError) {
    file = try Self.opened(path)
    self.path = path
  }

  /// Returns the next bytes of the recording; nil at the end of the file.
  /// - Throws: `HardwareError` if the read fails, or if the file is compressed.
  mutating func read() throws(HardwareError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: LogFile.chunk)
    // The count that `read` receives is the size of the array.
    let count = unsafe Glibc.read(file.descriptor, &bytes, bytes.count)
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

  private static func opened(_ path: String) throws(HardwareError) -> OpenFile {
    let mode: mode_t
    do throws(SystemFailure) {
      let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
      let status = try file.status()
      mode = status.st_mode & S_IFMT
      if mode == S_IFREG, status.st_size > 0 { return file }
    } catch {
      throw refusal(of: path, error.number)
    }
    throw HardwareError(
      .unsuitable, "replay", path,
      cause: mode == S_IFDIR ? "it is a directory" : mode == S_IFREG ? "it is empty" : "it is not a regular file",
      remedy: mode == S_IFCHR ? "for a serial port, use uart:\(path)" : "specify a file with a receiver's sentences")
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
