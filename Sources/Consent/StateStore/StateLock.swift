import Glibc

/// A lock that makes this process the only user of a state directory. The deinitialization of the object releases the
/// lock.
final class StateLock {
  private let file: FileDescriptor

  /// Takes the lock.
  ///
  /// - Throws: `StoreError`. If another process holds the lock, the kind of the error is `busy`. The cause then names
  ///   the process by its identifier, if the identifier is known.
  init(_ path: String) throws(StoreError) {
    let file = try FileDescriptor(
      "lock", path, O_RDWR | O_CREAT, mode: 0o600,
      remedy: "make the state directory writable for this user, or choose another one with --state")
    var result: Int32
    repeat { result = flock(file.number, LOCK_EX | LOCK_NB) } while result < 0 && errno == EINTR
    guard result == 0 else {
      guard errno == EWOULDBLOCK else { throw StoreError("lock", path, errno: errno) }
      let holder = StateLock.holder(try file.read(atMost: 16, of: path))
      throw StoreError(
        .busy, "lock", path, cause: "another process uses it" + (holder.map { ": pid \($0)" } ?? ""),
        remedy: "stop that process, or choose another state directory with --state")
    }
    // If another process cannot take the lock, its error message contains the process identifier from this file. The
    // file has no other use, so the program starts even if this write fails, for example on a full disk.
    if ftruncate(file.number, 0) == 0 {
      try? file.write([UInt8]("\(getpid())\n".utf8), to: path)
    }
    self.file = file
  }

  /// The explicit unlock is necessary, because a close of the file by this process may not release the lock. A child
  /// process that was forked, but has not started its own program yet, still has the file open and keeps the lock.
  deinit { flock(file.number, LOCK_UN) }

  private static func holder(_ bytes: [UInt8]) -> Int32? {
    Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
