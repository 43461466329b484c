import Glibc

/// A lock that makes this process the only user of a state directory. The deinitializer releases the lock.
final class StateLock {
  private let file: FileDescriptor

  /// Acquires the lock. Throws a `StoreError` of the kind `busy` if another process has the lock.
  init(_ path: String) throws(StoreError) {
    let file = try FileDescriptor(
      "lock", path, O_RDWR | O_CREAT, mode: 0o600, remedy: StoreError.permissionRemedy)
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw StoreError("lock", path, errno: errno) }
      let holder = StateLock.holder(try file.read(atMost: 16, of: path))
      throw StoreError(
        .busy, "lock", path, cause: "another process uses it" + (holder.map { ": pid \($0)" } ?? ""),
        remedy: "stop that process, or choose another state directory with --state")
    }
    // The process identifier is only for the error message of another process. So a failed write, for example on a full
    // disk, has no effect.
    if ftruncate(file.number, 0) == 0 {
      try? file.write([UInt8]("\(getpid())\n".utf8), to: path)
    }
    self.file = file
  }

  /// Releases the lock explicitly, because a forked child process may still have the file open and keep the lock.
  deinit { flock(file.number, LOCK_UN) }

  private static func holder(_ bytes: [UInt8]) -> Int32? {
    Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
