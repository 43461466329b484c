package import Glibc

/// An open file. The deinitializer closes the file.
package struct OpenFile: ~Copyable {
  package let descriptor: Int32

  /// Opens a file. No child process inherits the descriptor.
  ///
  /// - Parameters:
  ///   - flags: The flags of open(2).
  ///   - mode: The permissions of a new file, before the umask.
  /// - Throws: `SystemFailure` if the file cannot be opened.
  package init(_ path: String, _ flags: Int32 = O_RDONLY, mode: mode_t = 0) throws(SystemFailure) {
    var result: Int32
    repeat { result = unsafe open(path, flags | O_CLOEXEC, mode) } while result == -1 && errno == EINTR
    guard result != -1 else { throw SystemFailure(number: errno) }
    descriptor = result
  }

  deinit { close(descriptor) }

  package func status() throws(SystemFailure) -> stat {
    var status = stat()
    // SAFETY: the pointer to `status` is valid during the call.
    guard unsafe fstat(descriptor, &status) == 0 else { throw SystemFailure(number: errno) }
    return status
  }

  /// Whether the file is a regular file, and for example no pipe.
  package var isRegular: Bool {
    get throws(SystemFailure) { try status().st_mode & S_IFMT == S_IFREG }
  }

  /// Reads from the current position to the end of the file, but at most `limit` bytes.
  package func read(atMost limit: Int) throws(SystemFailure) -> [UInt8] {
    Array(try readToEnd(descriptor, limit: limit).prefix(limit))
  }

  /// Writes all bytes at the current position.
  package func write(_ bytes: [UInt8]) throws(SystemFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The pointer and the count describe the slice, so the call reads only the slice.
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemFailure(number: count == 0 ? EIO : errno) }
      rest = rest.dropFirst(count)
    }
  }
}

extension OpenFile {
  package func setMode(_ mode: mode_t) throws(SystemFailure) { try check(fchmod(descriptor, mode)) }

  package func setOwner(_ uid: uid_t, _ gid: gid_t) throws(SystemFailure) { try check(fchown(descriptor, uid, gid)) }

  /// Writes the content of the file or directory to the disk (fsync).
  package func synchronize() throws(SystemFailure) { try check(fsync(descriptor)) }

  private func check(_ result: Int32) throws(SystemFailure) {
    if result != 0 { throw SystemFailure(number: errno) }
  }
}

/// Reads a file descriptor until its end.
/// - Parameter limit: The count of bytes after which the function stops early. The result can be up to 16,384 bytes
///   longer.
/// - Throws: `SystemFailure` if a read fails.
package func readToEnd(_ descriptor: Int32, limit: Int = .max) throws(SystemFailure) -> [UInt8] {
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 16_384)
  while bytes.count <= limit {
    // SAFETY: `read` writes at most `part.count` bytes into `part`.
    let count = unsafe read(descriptor, &part, part.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw SystemFailure(number: errno) }
    guard count > 0 else { break }
    bytes += part[..<count]
  }
  return bytes
}
