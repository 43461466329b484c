import Glibc
import OperatingSystem

/// An open file. The deinitializer closes the file.
struct FileDescriptor: ~Copyable {
  let number: Int32

  /// Opens a file. The descriptor is close-on-exec. A symbolic link is an error.
  ///
  /// - Parameters:
  ///   - operation: The operation for error messages, for example `read`.
  ///   - mode: The permissions of a new file, before the umask.
  ///   - remedy: A hint for error messages that says how to correct the problem; nil for no hint.
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
    // The pointer is safe because `fstat` does not keep it.
    guard unsafe fstat(number, &status) == 0 else { throw StoreError("read", path, errno: errno) }
    return status
  }

  /// Writes the content of the file or directory to the disk (fsync), so that the content survives a power loss.
  func synchronize(_ path: String) throws(StoreError) {
    try FileStep.synchronize(path).announce("write", path)
    guard fsync(number) == 0 else { throw StoreError("write", path, errno: errno) }
  }

  func read(atMost count: Int, of path: String) throws(StoreError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count, let base = buffer.baseAddress {
        // The pointer is safe because it points to the empty part of the buffer, whose length is `count - filled`.
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

  /// Reserves disk blocks for the first `count` bytes of the file. These bytes can then be written even to a full disk.
  func allocate(_ count: Int, of path: String) throws(StoreError) {
    try FileStep.allocate(path, count: count).announce("reserve space in", path)
    // `posix_fallocate` returns the error instead of setting `errno`.
    let failure = posix_fallocate(number, 0, off_t(count))
    guard failure == 0 else { throw StoreError("reserve space in", path, errno: failure) }
  }

  func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
    try FileStep.write(path, offset: 0, bytes: bytes).announce("write", path)
    var written = 0
    while written < bytes.count {
      // The pointer is safe because it points to the unwritten part of the array, whose length is the count.
      let result = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(number, buffer.baseAddress.map { unsafe $0 + written }, bytes.count - written, off_t(written))
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { throw StoreError("write", path, errno: result == 0 ? EIO : errno) }
      written += result
    }
  }
}

extension FileStep {
  /// Reports this change of a file to the test that observes file changes. Without such a test, nothing happens. Throws
  /// an error if the test simulates a failure of the change.
  func announce(_ operation: String, _ object: String, remedy: String? = nil) throws(StoreError) {
    do { try announce() } catch { throw StoreError(operation, object, errno: error.number, remedy: remedy) }
  }
}

/// Writes the entries of a directory to the disk (fsync), so that new and removed files survive a power loss.
func synchronize(directory path: String) throws(StoreError) {
  do { try synchronizeDirectory(path) } catch { throw StoreError("write", path, errno: error.number) }
}

func removeFile(_ path: String) throws(StoreError) {
  try FileStep.remove(path).announce("remove", path)
  guard unsafe unlink(path) == 0 || errno == ENOENT else { throw StoreError("remove", path, errno: errno) }
}
