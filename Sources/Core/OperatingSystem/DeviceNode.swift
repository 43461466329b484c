package import Glibc

/// A device file in `/dev`. The device number identifies the device: symbolic links to the file, and copies of the
/// file, are other names of the same device.
package struct DeviceNode: Sendable {
  /// The path of the device file, after all symbolic links are resolved.
  package let path: String
  /// The path under which the kernel lists the device, for example `/dev/ttyS0`. The value differs from `path` if
  /// `path` is a copy of the device file. The value equals `path` if the file is not a device, or if `/sys/dev/char`
  /// does not contain the device (for example a pseudo-terminal).
  package let device: String
  package let status: stat

  /// Finds the device file to which a path leads. Returns nil if the path does not exist.
  ///
  /// - Parameters:
  ///   - root: A folder that contains `dev` and `sys`; empty for the machine itself.
  ///   - type: The file type that counts as a device. If the type is not `S_IFCHR` (a character device), the inode
  ///     number is used instead of the device number.
  package init?(_ path: String, root: String = "", type: mode_t = S_IFCHR) {
    var status = stat()
    guard unsafe stat(root + path, &status) == 0, let real = unsafe realpath(root + path, nil) else { return nil }
    let full = unsafe String(cString: real)
    unsafe free(real)
    self.path = full.hasPrefix(root) ? String(full.dropFirst(root.count)) : path
    self.status = status
    let number = Self.number(status, type)
    guard let number, let name = Self.link(at: "\(root)/sys/dev/char/\(number)")?.split(separator: "/").last,
      unsafe stat("\(root)/dev/\(name)", &status) == 0, Self.number(status, type) == number
    else {
      device = self.path
      return
    }
    device = "/dev/\(name)"
  }

  /// The major device number, which identifies the driver of the device.
  package var major: UInt64 { Self.major(status.st_rdev) }

  /// Returns the major number of a device number. Swift cannot call the macro of the C library for this purpose
  /// (makedev(3), bits/sysmacros.h).
  private static func major(_ number: dev_t) -> UInt64 { UInt64(number >> 8 & 0xFFF | number >> 32 & 0xFFFF_F000) }

  private static func minor(_ number: dev_t) -> UInt64 { UInt64(number & 0xFF | number >> 12 & 0xFFFF_FF00) }

  /// Returns the device number as text, for example `4:64`; nil if the file is not a device.
  private static func number(_ status: stat, _ type: mode_t) -> String? {
    guard status.st_mode & S_IFMT == type else { return nil }
    guard type == S_IFCHR else { return "0:\(status.st_ino)" }
    return "\(major(status.st_rdev)):\(minor(status.st_rdev))"
  }

  /// Returns the target of a symbolic link; nil if the path is not a link.
  package static func link(at path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
