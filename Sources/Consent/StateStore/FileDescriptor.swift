import Glibc

/// An open file; its end closes it.
struct FileDescriptor: ~Copyable {
  let number: Int32

  /// - Parameters:
  ///   - operation: what is said to have failed, as in `read`.
  ///   - flags: as `open(2)` takes them; close-on-exec and no following of a last symbolic link are added.
  ///   - mode: permissions of a file that is made, before the umask.
  init(
    _ operation: String, _ path: String, _ flags: Int32, mode: mode_t = 0, remedy: String? = nil
  ) throws(StoreError) {
    if flags & O_CREAT != 0, unsafe access(path, F_OK) != 0 {
      try FileStep.create(path).announce(operation, path, remedy: remedy)
    }
    var result: Int32
    repeat { result = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode) } while result < 0 && errno == EINTR
    guard result >= 0 else { throw StoreError(operation, path, errno: errno, remedy: remedy) }
    self.number = result
  }

  deinit { close(number) }

  func status(of path: String) throws(StoreError) -> stat {
    var status = stat()
    // The pointer is good for the call.
    guard unsafe fstat(number, &status) == 0 else { throw StoreError("read", path, errno: errno) }
    return status
  }

  /// Returns when the content, or a directory's entries, would survive a power cut.
  func synchronize(_ path: String) throws(StoreError) {
    try FileStep.synchronize(path).announce("write", path)
    guard fsync(number) == 0 else { throw StoreError("write", path, errno: errno) }
  }

  /// At most so many bytes from the start of the file; fewer only where it ends.
  func read(atMost count: Int, of path: String) throws(StoreError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count, let base = buffer.baseAddress {
        // Reads into the part of the buffer that is still empty.
        let result = unsafe pread(number, base + filled, count - filled, off_t(filled))
        if result < 0, errno == EINTR { continue }
        if result < 0 { failure = errno }
        if result <= 0 { break }
        filled += result
      }
    }
    guard failure == 0 else { throw StoreError("read", path, errno: failure) }
    return bytes
  }

  /// Sets blocks aside, so that so many bytes can be written whatever else the disk is filled with.
  func allocate(_ count: Int, of path: String) throws(StoreError) {
    try FileStep.allocate(path, count: count).announce("set room aside in", path)
    // It returns the number instead of leaving it in `errno`.
    let failure = posix_fallocate(number, 0, off_t(count))
    guard failure == 0 else { throw StoreError("set room aside in", path, errno: failure) }
  }

  /// Writes from the start of the file.
  func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
    try FileStep.write(path, offset: 0, bytes: bytes).announce("write", path)
    var written = 0
    while written < bytes.count {
      // Writes from the part of the array that is still unwritten.
      let result = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(number, buffer.baseAddress.map { unsafe $0 + written }, bytes.count - written, off_t(written))
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { throw StoreError("write", path, errno: result == 0 ? EIO : errno) }
      written += result
    }
  }
}

/// The path of the directory that holds a path's last component.
func parent(of path: String) -> String {
  var rest = path[...]
  while rest.count > 1, rest.last == "/" { rest.removeLast() }
  guard let slash = rest.lastIndex(of: "/") else { return "." }
  return slash == rest.startIndex ? "/" : String(rest[..<slash])
}

/// Makes the entries of a directory survive a power cut.
func synchronizeDirectory(_ path: String) throws(StoreError) {
  let directory = try FileDescriptor("open", path, O_RDONLY | O_DIRECTORY)
  try FileStep.synchronizeDirectory(path).announce("write", path)
  guard fsync(directory.number) == 0 else { throw StoreError("write", path, errno: errno) }
}

/// Removes a name; one that is not there is no failure.
func removeFile(_ path: String) throws(StoreError) {
  try FileStep.remove(path).announce("remove", path)
  guard unsafe unlink(path) == 0 || errno == ENOENT else { throw StoreError("remove", path, errno: errno) }
}

/// Puts a whole file in the place of another, or where none was: after a power cut there is the old one or the new one.
func replaceFile(_ path: String, with bytes: [UInt8], _ operation: String, remedy: String?) throws(StoreError) {
  let draft = path + ".new"
  // One that a power cut left behind.
  try removeFile(draft)
  do throws(StoreError) {
    let file = try FileDescriptor(operation, draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600, remedy: remedy)
    try file.write(bytes, to: draft)
    try file.synchronize(draft)
    try FileStep.rename(from: draft, to: path).announce(operation, path, remedy: remedy)
    guard unsafe rename(draft, path) == 0 else { throw StoreError(operation, path, errno: errno, remedy: remedy) }
    try synchronizeDirectory(parent(of: path))
  } catch {
    try? removeFile(draft)
    throw error
  }
}
