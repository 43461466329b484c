import CLinux
import Glibc
import Hardware
import OperatingSystem

/// An I2C bus through the kernel's device file `/dev/i2c-N`. The deinitializer closes the file.
final class LinuxI2CBus: I2CBus {
  let capacity: Int
  private let descriptor: Int32
  private let address: UInt16

  init(path: String, address: UInt16) throws(HardwareError) {
    let opened = unsafe onefix_i2c_open(path, address)
    guard opened >= 0 else { throw LinuxI2CBus.refusal("open", path, -opened) }
    let capacity = onefix_i2c_capacity(opened)
    guard capacity > 0 else {
      close(opened)
      throw LinuxI2CBus.refusal("use", path, -capacity)
    }
    self.capacity = Int(capacity)
    self.descriptor = opened
    self.address = address
  }

  deinit {
    close(descriptor)
  }

  func perform(_ transaction: I2CTransaction) throws(I2CFault) -> [UInt8] {
    switch transaction {
    case .readByte: return [UInt8(truncatingIfNeeded: try LinuxI2CBus.checked(onefix_i2c_read_byte(descriptor)))]
    case .readWord(let register):
      let word = try LinuxI2CBus.checked(onefix_i2c_read_word(descriptor, register))
      return [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
    case .transfer(let write, let readCount):
      var result: Int32 = 0
      let input = unsafe [UInt8](unsafeUninitializedCapacity: readCount) { buffer, count in
        // The C function accesses at most the given counts of bytes, which are the lengths of the buffers.
        result = unsafe onefix_i2c_transfer(descriptor, address, write, write.count, buffer.baseAddress, readCount)
        if result == 0 {
          count = readCount
        }
      }
      _ = try LinuxI2CBus.checked(result)
      return input
    }
  }

  /// Returns the result of a C function, or throws `I2CFault` if the result is negative. A negative result is an error
  /// number (errno) with the sign changed.
  private static func checked(_ result: Int32) throws(I2CFault) -> Int32 {
    guard result >= 0 else { throw fault(-result) }
    return result
  }

  /// Converts an error number (errno) to a fault. The drivers of I2C controllers use different error numbers for the
  /// same fault. (Linux, Documentation/i2c/fault-codes.rst)
  static func fault(_ number: Int32) -> I2CFault {
    switch number {
    case ENXIO, EREMOTEIO: .notAcknowledged
    case ETIMEDOUT, ETIME: .timedOut
    case EAGAIN, EBUSY: .arbitrationLost
    case ENODEV, EBADF, ESHUTDOWN: .busGone
    case EOPNOTSUPP, EINVAL: .unsupported
    default: .other
    }
  }

  static func refusal(_ operation: String, _ path: String, _ number: Int32) -> HardwareError {
    let cause = systemErrorText(number)
    return switch number {
    case ENOENT, ENOTDIR, ENXIO, ENODEV:
      HardwareError(.absent, operation, path, cause: cause, remedy: "is I2C enabled on this board? see i2cdetect -l")
    case EPERM: HardwareError(.notPermitted, operation, path, cause: cause, remedy: HardwareError.sandboxRemedy)
    case EACCES:
      HardwareError(.notPermitted, operation, path, cause: cause, remedy: "add the user to the group i2c")
    case EBUSY:
      HardwareError(
        .busy, operation, path, cause: "a kernel driver uses the address of the module",
        remedy: "remove the driver's overlay, or use another bus")
    case ENOTTY, EISDIR:
      HardwareError(
        .unsuitable, operation, path, cause: "it is not an I2C bus",
        remedy: "specify a bus, for example /dev/i2c-1")
    case EOPNOTSUPP:
      HardwareError(
        .unsuitable, operation, path, cause: "its adapter supports neither I2C transfers nor SMBus block transfers")
    default: HardwareError(.failed, operation, path, cause: cause)
    }
  }
}
