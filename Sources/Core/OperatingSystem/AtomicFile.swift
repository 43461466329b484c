import Glibc

/// A file that a program replaces atomically. A reader finds either the complete old content or the complete new
/// content.
package struct AtomicFile: Sendable {
  /// A failed replacement. The file still has its old content.
  package struct Failure: Error, Hashable, Sendable {
    package let number: Int32
  }

  package let path: String
  /// The path of the file for the new content. The draft is in the same directory, because a rename is atomic only
  /// within one file system.
  private let draft: String

  package init(path: String) {
    self.path = path
    draft = path + ".new"
  }

  /// Replaces the content atomically.
  ///
  /// - Parameters:
  ///   - owner: The file's user and group; nil for the user and group of this process.
  ///   - isDurable: Whether the content must be on the disk before it replaces the old content.
  /// - Throws: `Failure` if a system call fails.
  package func write(
    _ bytes: [UInt8], mode: UInt32, owner: (uid: UInt32, gid: UInt32)? = nil, isDurable: Bool
  ) throws(Failure) {
    // Another program may have created a symbolic link at the draft's path. A write through the link would change the
    // target of the link.
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

  package func remove() { _ = unsafe unlink(path) }

  private func fill(_ file: Int32, _ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The pointer and the count describe the slice, so the call reads only the slice.
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
