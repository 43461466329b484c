import Glibc

/// A file whose content is replaced as a whole: a reader finds the old content or the new one, never a part.
package struct AtomicFile: Sendable {
  /// An error number of the system: why the content is not replaced.
  package struct Failure: Error, Hashable, Sendable {
    package let number: Int32
  }

  package let path: String
  /// Beside the file, because a rename is atomic within one file system only.
  private let draft: String

  package init(path: String) {
    self.path = path
    draft = path + ".new"
  }

  /// Replaces the content. The file is not there, or has its old content, until all of the new content is written.
  /// - Parameters:
  ///   - mode: the file's permissions.
  ///   - owner: the file's user and group; nil for those of this process.
  ///   - isDurable: whether the content must be on the disk before it replaces the old content.
  package func write(
    _ bytes: [UInt8], mode: UInt32, owner: (uid: UInt32, gid: UInt32)? = nil, isDurable: Bool
  ) throws(Failure) {
    // A draft that another program made may lead elsewhere, so it is never written through.
    _ = unsafe unlink(draft)
    let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure(number: errno) }
    do throws(Failure) {
      defer { close(file) }
      try fill(file, bytes)
      if let owner { try check(fchown(file, owner.uid, owner.gid)) }
      try check(fchmod(file, mode))
      if isDurable { try check(fsync(file)) }
      try check(unsafe rename(draft, path))
    } catch {
      _ = unsafe unlink(draft)
      throw error
    }
  }

  /// Removes the file, if it exists.
  package func remove() { _ = unsafe unlink(path) }

  private func fill(_ file: Int32, _ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The count is the slice's own.
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(number: count == 0 ? EIO : errno) }
      rest = rest.dropFirst(count)
    }
  }

  private func check(_ result: Int32) throws(Failure) {
    if result != 0 { throw Failure(number: errno) }
  }
}
