import Glibc
import OperatingSystem

/// The file that a metrics collector reads.
package struct MetricsFile: Sendable {
  package let path: String
  /// The contents are first written to a temporary file. The name of the temporary file has an extension that
  /// collectors ignore.
  private let file: AtomicFile

  package init(path: String) {
    self.path = path
    file = AtomicFile(path: path)
  }

  /// The permissions of the file. The metrics can reveal information about the location. For this reason, only the
  /// owner and the group of the file can read the file.
  static let mode: UInt32 = 0o640

  package func write(_ text: String) throws(MetricsFileError) {
    do throws(AtomicFile.Failure) {
      // After a power cut, the daemon writes new metrics. For this reason, the file is not synchronized to the disk.
      try file.write(Array(text.utf8), mode: Self.mode, isDurable: false)
    } catch {
      throw MetricsFileError("write", path, error.number)
    }
  }

  /// Removes the file, because its metrics are out of date.
  package func remove() { file.remove() }
}

/// The reason why the file cannot be written.
package struct MetricsFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ operation: String, _ path: String, _ number: Int32) {
    let cause = systemErrorText(number)
    let remedy: String? =
      switch number {
      case ENOENT: "create its folder"
      case EACCES, EPERM, EROFS: "its folder must be writable for this user; see ReadWritePaths= in onefixd(8)"
      case ENOSPC, EDQUOT: "free space on its file system"
      default: nil
      }
    description = "cannot \(operation) \(path): \(cause)" + (remedy.map { " (\($0))" } ?? "")
  }
}
