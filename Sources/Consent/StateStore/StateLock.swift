import Glibc

/// The right to be the only process that uses a state directory. Its end gives it back.
final class StateLock {
  private let file: FileDescriptor

  /// - Throws: `StoreError` of the kind `busy`, which names the holder's process where it is known.
  init(_ path: String) throws(StoreError) {
    let file = try FileDescriptor(
      "lock", path, O_RDWR | O_CREAT, mode: 0o600,
      remedy: "the state directory must be writable for this user; --state names another")
    var result: Int32
    repeat { result = flock(file.number, LOCK_EX | LOCK_NB) } while result < 0 && errno == EINTR
    guard result == 0 else {
      guard errno == EWOULDBLOCK else { throw StoreError("lock", path, errno: errno) }
      let holder = StateLock.holder(try file.read(atMost: 16, of: path))
      throw StoreError(
        .busy, "lock", path, cause: "another process uses it" + (holder.map { ": pid \($0)" } ?? ""),
        remedy: "stop it first, or name another state directory with --state")
    }
    // The number is for people: a disk without room for it does not keep the gateway from starting.
    if ftruncate(file.number, 0) == 0 {
      try? file.write([UInt8]("\(getpid())\n".utf8), to: path)
    }
    self.file = file
  }

  /// Said aloud: a process that is being started from this one may have the file open, too, until it runs its program.
  deinit { flock(file.number, LOCK_UN) }

  private static func holder(_ bytes: [UInt8]) -> Int32? {
    Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
