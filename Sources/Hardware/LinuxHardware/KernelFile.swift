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
    let bytes: [UInt8]
    do { bytes = try OpenFile(path).read(atMost: 32) } catch { throw refusal("read", path, error.number) }
    return Int(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
  }

  func write(_ text: String, to path: String) throws(HardwareError) {
    do { try OpenFile(path, O_WRONLY).write(Array(text.utf8)) } catch { throw refusal("write", path, error.number) }
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
