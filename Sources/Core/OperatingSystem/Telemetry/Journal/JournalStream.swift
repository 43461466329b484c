import Glibc

enum JournalStream {
  static let socket = "/run/systemd/journal/socket"

  /// Whether standard error is connected to journald, by the variable `$JOURNAL_STREAM`. (systemd.exec(5))
  static func isStandardError(stream: String?, _ descriptor: Int32 = STDERR_FILENO) -> Bool {
    let parts = (stream ?? "").split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) }
    var status = stat()
    guard parts.count == 2, unsafe fstat(descriptor, &status) == 0 else { return false }
    return parts[0] == UInt64(status.st_dev) && parts[1] == UInt64(status.st_ino)
  }
}
