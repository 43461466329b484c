import Glibc

/// The file with the metrics of the daemon, which a collector such as the node exporter reads.
package struct MetricsFile: Sendable {
  package let path: String
  /// The file, which is replaced atomically. The temporary file has an extension that collectors ignore.
  private let file: AtomicFile

  package init(path: String) {
    self.path = path
    file = AtomicFile(path: path)
  }

  /// The permission bits of the file, 0o640 or 0o600.
  ///
  /// The metrics can reveal information about the location. A group may read the file only if the folder determines the
  /// group (set-group-ID), and if the group is not the daemon's. The users of the apps are members of the daemon's
  /// group.
  private var mode: UInt32 {
    var status = stat()
    let isOfGroup = unsafe stat(parent(of: path), &status) == 0 && status.st_mode & S_ISGID != 0
    return isOfGroup && status.st_gid != getegid() ? 0o640 : 0o600
  }

  package func write(_ text: String) throws(MetricsFileError) {
    do throws(SystemFailure) {
      // The file is not synchronized to the disk, because the daemon writes new metrics after a power cut.
      try file.write(Array(text.utf8), mode: mode, isDurable: false)
    } catch {
      throw MetricsFileError(path, error.number)
    }
  }

  package func remove() { file.remove() }
}

/// The error for a metrics file that the daemon cannot write. The description contains the reason and a remedy.
package struct MetricsFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ path: String, _ number: Int32) {
    let remedy: String? =
      switch number {
      case ENOENT: "create its folder"
      case EACCES, EPERM, EROFS: "its folder must be writable for this user; see ReadWritePaths= in onefixd(8)"
      case ENOSPC, EDQUOT: "free space on its file system"
      default: nil
      }
    description = "cannot write \(path): \(systemErrorText(number))" + (remedy.map { " (\($0))" } ?? "")
  }
}
