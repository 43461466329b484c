package import Crypto
import Glibc

/// The secret of this device, from which every other key is derived. It does not print itself.
package struct DeviceKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Length of the key and of its file, bytes.
  package static let byteCount = 32

  private let secret: SymmetricKey

  /// Nil unless there are 32 bytes: as a test or a service manager hands them over.
  package init?(bytes: [UInt8]) {
    guard bytes.count == DeviceKey.byteCount else { return nil }
    self.secret = SymmetricKey(data: bytes)
  }

  /// Reads the key from a file that only its owner may read.
  /// - Parameter isCredential: whether a service manager handed it over. What stands in the place of the group's rights is
  ///   then the mask of an access control list, which lets the service's user read it. (acl(5), systemd.exec(5))
  /// - Throws: `StoreError` where the file is missing, unreadable, of another size, or readable by others. It is never
  ///   overwritten.
  package init(readingFrom path: String, isCredential: Bool = false) throws(StoreError) {
    let file = try FileDescriptor(
      "read the device key", path, O_RDONLY | O_NONBLOCK,
      remedy: "it must be a file that this user can read; --key names another")
    let status = try file.status(of: path)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.unsuitable, "use the device key", path, cause: "it is no regular file")
    }
    guard status.st_mode & (isCredential ? 0o037 : 0o077) == 0 else {
      throw StoreError(
        .notPermitted, "use the device key", path, cause: "other users may read or write it",
        remedy: "chmod 600 \(path); if others may have read it, lock the gateway and make a new one")
    }
    let bytes = try file.read(atMost: DeviceKey.byteCount + 1, of: path)
    guard let key = DeviceKey(bytes: bytes) else {
      let length = bytes.count > DeviceKey.byteCount ? "more than \(DeviceKey.byteCount)" : String(bytes.count)
      throw StoreError(
        .damaged, "use the device key", path,
        cause: "it has \(length) bytes where \(DeviceKey.byteCount) are needed",
        remedy: "restore it from a backup; removing it makes a new one, which cannot open what the old one sealed")
    }
    self = key
  }

  /// Reads the key, or makes it where there is no file yet: 32 bytes from the system's random source, mode 0600.
  /// - Throws: `StoreError`, as `init(readingFrom:)`, and where the file cannot be made.
  package init(readingOrMaking path: String) throws(StoreError) {
    do {
      try self.init(readingFrom: path)
    } catch let error where error.kind == .absent {
      try DeviceKey.make(path)
      try self.init(readingFrom: path)
    }
  }

  /// A key for one purpose, 256 bits (HKDF-SHA256, RFC 5869, the label as `info`). Other labels give other keys.
  package func derive(_ label: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: secret, info: [UInt8]("onefix \(label)".utf8), outputByteCount: DeviceKey.byteCount)
  }

  package var description: String { "DeviceKey(not shown)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  /// Writes a new key beside its place and links it there, so that the file is whole or not there at all.
  private static func make(_ path: String) throws(StoreError) {
    let operation = "make the device key"
    let directory = parent(of: path)
    var generator = SystemRandomNumberGenerator()
    let draft = path + ".\(String(generator.next() as UInt64, radix: 36)).new"
    let file = try FileDescriptor(
      operation, draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600,
      remedy: "make \(directory) writable for this user, or name another place with --key")
    defer { try? removeFile(draft) }
    let bytes = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe [UInt8]($0) }
    try file.write(bytes, to: draft)
    try file.synchronize(draft)
    try FileStep.link(from: draft, to: path).announce(operation, path)
    // A link, unlike a rename, never replaces what another process put there meanwhile.
    guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw StoreError(operation, path, errno: errno) }
    try synchronizeDirectory(directory)
  }
}
