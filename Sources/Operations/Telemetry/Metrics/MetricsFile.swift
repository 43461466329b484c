import Glibc
import OperatingSystem

/// A file whose content is replaced as a whole: whoever reads it finds what was there before, or what is there now.
package struct MetricsFile: Sendable {
  package let path: String
  /// Beside it, since only within a file system one takes another's place at once; a collector takes no such name.
  private let draft: String

  package init(path: String) {
    self.path = path
    draft = path + ".new"
  }

  /// Readable for its user and its group: what is in it tells something of where the gateway is.
  static let mode: mode_t = 0o640

  package func write(_ text: String) throws(MetricsFileError) {
    // What an earlier run left, or somebody made, is not written through.
    _ = unsafe unlink(draft)
    let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw MetricsFileError("write", path, errno) }
    do throws(MetricsFileError) {
      defer { close(file) }
      try fill(file, Array(text.utf8))
      guard fchmod(file, Self.mode) == 0 else { throw MetricsFileError("write", path, errno) }
    } catch {
      _ = unsafe unlink(draft)
      throw error
    }
    guard unsafe rename(draft, path) == 0 else {
      let cause = errno
      _ = unsafe unlink(draft)
      throw MetricsFileError("write", path, cause)
    }
  }

  private func fill(_ file: Int32, _ bytes: [UInt8]) throws(MetricsFileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The count is the slice's own.
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw MetricsFileError("write", path, count == 0 ? EIO : errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// What is not true any more is not there any more.
  package func remove() { _ = unsafe unlink(path) }
}

/// Why the file is not what it should be.
package struct MetricsFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ operation: String, _ path: String, _ number: Int32) {
    let cause = systemErrorText(number)
    let remedy: String? =
      switch number {
      case ENOENT: "make its folder"
      case EACCES, EPERM, EROFS: "its folder must be writable for this user; see ReadWritePaths= in onefixd(8)"
      case ENOSPC, EDQUOT: "make room on its file system"
      default: nil
      }
    description = "cannot \(operation) \(path): \(cause)" + (remedy.map { " (\($0))" } ?? "")
  }
}
