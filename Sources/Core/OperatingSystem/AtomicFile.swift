import Glibc

/// A file that a program replaces atomically. A reader finds either the complete old content or the complete new
/// content.
package struct AtomicFile: Sendable {
  package let path: String
  /// The path of the temporary file with the new content. The temporary file is in the directory of the replaced file,
  /// because a rename is atomic only within one file system.
  private let draft: String

  package init(path: String) {
    self.path = path
    draft = path + ".new"
  }

  /// Replaces the content of the file atomically.
  ///
  /// - Parameters:
  ///   - owner: The user and the group of the file; nil for those of this process.
  ///   - isDurable: Whether the new content must be on the disk when the function returns. Even if false, a power loss
  ///     leaves the complete old or new content.
  /// - Throws: `SystemFailure` if a system call fails.
  package func write(
    _ bytes: [UInt8], mode: UInt32, owner: (uid: UInt32, gid: UInt32)? = nil, isDurable: Bool
  ) throws(SystemFailure) {
    try withDraft(bytes, mode: mode, owner: owner, isDurable: isDurable) { () throws(SystemFailure) in
      try FileStep.rename(from: draft, to: path).announce()
      guard unsafe rename(draft, path) == 0 else { throw SystemFailure(number: errno) }
      if isDurable { try synchronizeDirectory(parent(of: path)) }
    }
  }

  /// Checks whether bytes could be written now, without a change of the file: writes the temporary file to the disk,
  /// and removes the temporary file.
  /// - Throws: `SystemFailure` if a system call fails.
  package func rehearse(_ bytes: [UInt8]) throws(SystemFailure) {
    try withDraft(bytes, mode: 0o600, owner: nil, isDurable: true) { () throws(SystemFailure) in try removeDraft() }
  }

  /// Writes the temporary file, and calls a closure, which renames or removes the temporary file. After a failure, the
  /// function removes the temporary file.
  private func withDraft(
    _ bytes: [UInt8], mode: UInt32, owner: (uid: UInt32, gid: UInt32)?, isDurable: Bool,
    _ end: () throws(SystemFailure) -> Void
  ) throws(SystemFailure) {
    // A power loss may have left a draft. Another program may have created a symbolic link at the draft's path, and a
    // write through the link would change the target of the link.
    try removeDraft()
    try FileStep.create(draft).announce()
    let file = try OpenFile(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    do throws(SystemFailure) {
      try FileStep.write(draft, offset: 0, bytes: bytes).announce()
      try file.write(bytes)
      if let owner { try file.setOwner(owner.uid, owner.gid) }
      try file.setMode(mode)
      if isDurable {
        try FileStep.synchronize(draft).announce()
        try file.synchronize()
      }
      try end()
    } catch {
      try? removeDraft()
      throw error
    }
  }

  private func removeDraft() throws(SystemFailure) {
    try FileStep.remove(draft).announce()
    guard unsafe unlink(draft) == 0 || errno == ENOENT else { throw SystemFailure(number: errno) }
  }

  package func remove() { _ = unsafe unlink(path) }
}

/// Writes the entries of a directory to the disk (fsync), so that new, renamed and removed files survive a power loss.
/// The function has no effect if the file system cannot synchronize directories (EINVAL).
package func synchronizeDirectory(_ path: String) throws(SystemFailure) {
  let file = try OpenFile(path, O_RDONLY | O_DIRECTORY)
  try FileStep.synchronizeDirectory(path).announce()
  do { try file.synchronize() } catch { guard error.number == EINVAL else { throw error } }
}

/// Returns the path of the directory that contains a file.
package func parent(of path: String) -> String {
  var rest = path[...]
  while rest.count > 1, rest.last == "/" { rest.removeLast() }
  guard let slash = rest.lastIndex(of: "/") else { return "." }
  return slash == rest.startIndex ? "/" : String(rest[..<slash])
}
