import Glibc
import OperatingSystem

/// An error of a file: the file cannot be read or written, or lacks the requested data. The text contains a remedy if a
/// remedy is known.
struct FileError: Error, Equatable, CustomStringConvertible {
  enum Cause: Equatable {
    /// An `errno` value.
    case system(Int32)
    /// A gzip file. The text is the command that reads the file, for example `decode`.
    case compressed(command: String)
    case empty
    case noFrame(bytes: Int)
    /// The sentences have correct checksums, and fields that cannot be read. `most` is the most frequent one.
    case rejected(sentences: Int, most: String)
    case noFix(epochs: Int)
    /// The file is a table without columns for coordinates.
    case noColumns
  }

  var operation: String
  var name: String
  var cause: Cause

  init(_ operation: String, _ name: String, _ cause: Cause) {
    self.operation = operation
    self.name = name
    self.cause = cause
  }

  init(_ operation: String, _ name: String, _ number: Int32) {
    self.init(operation, name, .system(number))
  }

  var description: String {
    "cannot \(operation) \(name): \(reason)\(remedy.map { " (\($0))" } ?? "")"
  }

  /// The exit status: `EX_DATAERR`, `EX_NOINPUT` or `EX_IOERR` of sysexits. If the file contains no fix, the status is
  /// the same as for `onefix request` without a fix.
  var status: Int32 {
    switch cause {
    case .system: isWrite ? 74 : 66
    case .compressed, .empty, .noFrame, .rejected, .noColumns: 65
    case .noFix: ExitStatus.noFix
    }
  }

  private var isWrite: Bool { operation == "write" }

  private var remedy: String? {
    switch cause {
    case .system(ENOENT): isWrite ? "create its folder" : "check the path; - reads standard input"
    case .system(EISDIR): isWrite ? "add the name of a file" : "use one of its files"
    case .system(EACCES), .system(EPERM):
      isWrite
        ? "check the permissions of the file and its folder"
        : "check the file's permissions; for a serial port, the group is often dialout"
    case .system(EBUSY): "another program uses it"
    case .system(ENOSPC): "free some space"
    case .system: nil
    case .compressed(let command): "decompress it: zcat \(name) | onefix \(command) -"
    case .empty: nil
    case .noFrame: "check that a receiver wrote it, and at the right speed; see --stats"
    case .rejected: "the receiver writes another format: --stats lists the fields"
    case .noColumns: "a recording must not have the extension .csv"
    case .noFix: "--stats lists its contents"
    }
  }

  private var reason: String {
    switch cause {
    case .system(ENOENT): return "no such file or directory"
    case .system(EISDIR): return "is a directory"
    case .system(EACCES): return "permission denied"
    case .system(ENOSPC): return "no space left on the device"
    case .system(let code): return systemErrorText(code)
    case .compressed: return "it is compressed with gzip"
    case .empty: return "the file is empty"
    case .noFrame(let bytes): return "no sentence and no frame in \(bytes) bytes"
    case .rejected(let sentences, let most):
      return
        "all \(sentences) sentences have correct checksums, and a time, position or status that cannot be read, most often "
        + most
    case .noColumns: return "no columns lat and lon in its first line"
    case .noFix(0): return "no message contains a position"
    case .noFix(let epochs): return "\(epochs) epochs, none with a position"
    }
  }
}
