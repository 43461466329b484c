import Glibc
import OperatingSystem

/// The file that a collector reads.
package struct MetricsFile: Sendable {
  package let path: String
  /// A collector ignores the name of its draft.
  private let file: AtomicFile

  package init(path: String) {
    self.path = path
    file = AtomicFile(path: path)
  }

  /// Readable for its user and its group: the metrics tell something about the gateway's place.
  static let mode: UInt32 = 0o640

  package func write(_ text: String) throws(MetricsFileError) {
    do throws(AtomicFile.Failure) {
      // Metrics are written anew after a power cut.
      try file.write(Array(text.utf8), mode: Self.mode, isDurable: false)
    } catch {
      throw MetricsFileError("write", path, error.number)
    }
  }

  /// Removes the file, because its metrics are true no longer.
  package func remove() { file.remove() }
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
