import Glibc
import Hardware
import OperatingSystem

/// A reader and writer of small kernel files below `/sys`. Both properties are advice in error messages: for a missing
/// file, and for missing permissions.
struct KernelFile {
  let absentRemedy: String
  let deniedRemedy: String

  /// Returns the decimal number at the beginning of a file; nil if the file does not begin with a digit.
  /// - Throws: `HardwareError` if the file cannot be read.
  func number(in path: String) throws(HardwareError) -> Int? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw refusal("read", path, errno) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return Int(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).prefix { $0.isNumber })
  }

  func write(_ text: String, to path: String) throws(HardwareError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw refusal("open", path, errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw refusal("write", path, errno)
    }
  }

  private func refusal(_ operation: String, _ path: String, _ number: Int32) -> HardwareError {
    let cause = systemErrorText(number)
    return switch number {
    case ENOENT, ENODEV, ENOTDIR: HardwareError(.absent, operation, path, cause: cause, remedy: absentRemedy)
    case EACCES, EPERM, EROFS: HardwareError(.notPermitted, operation, path, cause: cause, remedy: deniedRemedy)
    case EBUSY: HardwareError(.busy, operation, path, cause: cause, remedy: "is another program or driver using it?")
    default: HardwareError(.failed, operation, path, cause: cause)
    }
  }
}
