package import Base
import Glibc
import OperatingSystem

/// The secret key of the device, from which the gateway derives all other keys.
package struct DeviceKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package static let byteCount = 32

  private let secret: SecretKey

  /// Creates a key from exactly 32 bytes. Returns nil for any other count of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == DeviceKey.byteCount else { return nil }
    self.secret = SecretKey(bytes)
  }

  /// Reads the device key from a file that only the owner of the file may read.
  ///
  /// - Parameters:
  ///   - isCredential: Whether a service manager created the file and gave the user of this process access with an
  ///     access control list (ACL). The file's group permissions are then the mask of the ACL. (acl(5),
  ///     systemd.exec(5))
  /// - Throws: `StoreError` if the file is missing, unreadable, of a wrong size, or readable by other users.
  package init(readingFrom path: String, isCredential: Bool = false) throws(StoreError) {
    let file = try FileDescriptor(
      "read the device key", path, O_RDONLY | O_NONBLOCK,
      remedy: "make the file readable for this user, or choose another file with --key")
    let status = try file.status(of: path)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.unsuitable, "use the device key", path, cause: "it is not a regular file")
    }
    guard status.st_mode & (isCredential ? 0o037 : 0o077) == 0 else {
      throw StoreError(
        .notPermitted, "use the device key", path, cause: "other users may read or write it",
        remedy: "chmod 600 \(path); if another user may have read it, lock the gateway and create a new key")
    }
    let bytes = try file.read(atMost: DeviceKey.byteCount + 1, of: path)
    guard let key = DeviceKey(bytes: bytes) else {
      let length = bytes.count > DeviceKey.byteCount ? "more than \(DeviceKey.byteCount)" : String(bytes.count)
      throw StoreError(
        .damaged, "use the device key", path,
        cause: "it has \(length) bytes, but \(DeviceKey.byteCount) are needed",
        remedy: "restore it from a backup; a new key cannot open data that the old one sealed")
    }
    self = key
  }

  /// Reads the device key from a file like `init(readingFrom:isCredential:)`. A missing file is created with 32 random
  /// bytes and mode 0600.
  package init(readingOrMaking path: String) throws(StoreError) {
    do {
      try self.init(readingFrom: path)
    } catch let error where error.kind == .absent {
      try DeviceKey.create(path)
      try self.init(readingFrom: path)
    }
  }

  /// Derives a key of 256 bits, with HKDF-SHA256 (RFC 5869) and the label as `info`. Each label gives a different key.
  package func derive(_ label: String) -> SecretKey {
    HKDF.derive(from: secret, info: [UInt8]("onefix \(label)".utf8))
  }

  package var description: String { "DeviceKey(not shown)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  /// Writes a new key to a temporary file and links that file to the path. So there is never an incomplete file at the
  /// path, even after a power loss.
  private static func create(_ path: String) throws(StoreError) {
    let operation = "create the device key"
    let directory = parent(of: path)
    var generator = SystemRandomNumberGenerator()
    let draft = path + ".\(String(generator.next() as UInt64, radix: 36)).new"
    let file = try FileDescriptor(
      operation, draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600,
      remedy: "make \(directory) a folder that this user can write, or choose another file with --key")
    defer { try? removeFile(draft) }
    try file.write(SecretKey().bytes, to: draft)
    try file.synchronize(draft)
    try FileStep.link(from: draft, to: path).announce(operation, path)
    // If another process has created the file, `link` fails. `rename` would replace the file.
    guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw StoreError(operation, path, errno: errno) }
    try synchronize(directory: directory)
  }
}
