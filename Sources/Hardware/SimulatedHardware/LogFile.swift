import Glibc
import Gzip
import Hardware
import OperatingSystem

/// A log that is open for reading, perhaps compressed with gzip: what it is, its first bytes tell.
struct LogFile: ~Copyable {
  private static let chunk = 16_384

  private let path: String
  private let descriptor: Int32
  private var reader = PlainReader()

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
    self.path = path
    descriptor = opened
  }

  deinit {
    close(descriptor)
  }

  /// Nil at the end of the file. A regular file answers from memory or disk and is not waited for.
  /// - Throws: `HardwareError` where it cannot be read on: a compressed one may be damaged, or end too early.
  mutating func read() throws(HardwareError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: LogFile.chunk)
    let (path, descriptor) = (path, descriptor)
    let arrival = try reader.read(into: &bytes) { buffer, offset throws(HardwareError) in
      let room = buffer.count - offset
      // As many bytes as the buffer has room for behind the offset.
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
      throw HardwareError(.failed, "read", path, cause: "\(error)", remedy: "see what gzip --test says")
    }
  }

  private static func refusal(of path: String, _ number: Int32) -> HardwareError {
    let cause = systemErrorText(number)
    return switch number {
    case ENOENT, ENOTDIR: HardwareError(.absent, "replay", path, cause: cause, remedy: "is the name right? see ls")
    case EACCES, EPERM:
      HardwareError(.notPermitted, "replay", path, cause: cause, remedy: "make it readable, as with chmod a+r")
    default: HardwareError(.failed, "replay", path, cause: cause)
    }
  }
}
