import CZlib
import Glibc
import Hardware

/// A log that is open for reading, perhaps compressed with gzip: what it is, its first bytes tell.
@safe struct LogFile: ~Copyable {
  private static let chunk = 16_384

  private let path: String
  private let file: gzFile

  /// - Throws: `HardwareError` where there is no such file, or nothing in it.
  init(path: String) throws(HardwareError) {
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else { throw LogFile.refusal(of: path, errno) }
    var status = stat()
    // The pointer is good for the call.
    let result = unsafe fstat(opened, &status)
    let kind = status.st_mode & S_IFMT
    guard result == 0, kind == S_IFREG, status.st_size > 0 else {
      close(opened)
      throw HardwareError(
        .unsuitable, "replay", path,
        cause: kind == S_IFDIR ? "it is a directory" : kind == S_IFREG ? "it is empty" : "it is no regular file",
        remedy: kind == S_IFCHR ? "a serial port is read with uart:\(path)" : "name a file with a receiver's sentences")
    }
    guard let file = unsafe gzdopen(opened, "rb") else {
      close(opened)
      throw HardwareError(.failed, "replay", path, cause: "there is no memory for it")
    }
    self.path = path
    unsafe self.file = file
  }

  deinit {
    // It closes the descriptor too.
    unsafe gzclose_r(file)
  }

  /// Nil at the end of the file. A regular file answers from memory or disk and is not waited for.
  /// - Throws: `HardwareError` where it cannot be read on: a compressed one may be damaged, or end too early.
  func read() throws(HardwareError) -> [UInt8]? {
    var result: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: LogFile.chunk) { buffer, count in
      // At most as many bytes as the buffer has room for.
      result = unsafe gzread(file, buffer.baseAddress, UInt32(LogFile.chunk))
      count = Int(max(0, result))
    }
    if !bytes.isEmpty { return bytes }
    var number: Int32 = Z_OK
    let message = unsafe gzerror(file, &number)
    if result == 0, number == Z_OK || number == Z_STREAM_END { return nil }
    let cause =
      switch number {
      case Z_BUF_ERROR: "it ends inside its compression"
      case Z_ERRNO: unsafe String(cString: strerror(errno)).lowercased()
      default: unsafe message.map { unsafe String(cString: $0) } ?? "it is damaged"
      }
    throw HardwareError(
      .failed, "read", path, cause: cause, remedy: number == Z_ERRNO ? nil : "see what gzip --test says")
  }

  private static func refusal(of path: String, _ number: Int32) -> HardwareError {
    let cause = unsafe String(cString: strerror(number)).lowercased()
    return switch number {
    case ENOENT, ENOTDIR: HardwareError(.absent, "replay", path, cause: cause, remedy: "is the name right? see ls")
    case EACCES, EPERM:
      HardwareError(.notPermitted, "replay", path, cause: cause, remedy: "make it readable, as with chmod a+r")
    default: HardwareError(.failed, "replay", path, cause: cause)
    }
  }
}
