import Glibc
import Gzip
import OperatingSystem

/// A file that cannot be had, or not all of it, or holds nothing of what was asked for; with a remedy where one is
/// known.
struct FileError: Error, Equatable, CustomStringConvertible {
  enum Cause: Equatable {
    /// An `errno`.
    case system(Int32)
    case compression(GzipError)
    case empty
    /// So many bytes, and no sentence or frame in them.
    case noFrame(bytes: Int)
    case noFix(epochs: Int)
    /// A table without coordinates.
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

  /// `EX_DATAERR`, `EX_NOINPUT` or `EX_IOERR` of sysexits; without a fix, what `onefix request` has for that.
  var status: Int32 {
    switch cause {
    case .system: operation == "write" ? 74 : 66
    case .compression, .empty, .noFrame, .noColumns: 65
    case .noFix: ExitStatus.noFix
    }
  }

  private var remedy: String? {
    switch cause {
    case .system(ENOENT): "is the path right? - reads the standard input"
    case .system(EISDIR): "name one of its files"
    case .system(EACCES), .system(EPERM): "may you read it? for a serial port, the group is often dialout"
    case .system(EBUSY): "is another program holding it?"
    case .system(ENOSPC): "free some space"
    case .system: nil
    case .compression(.noMemory): nil
    case .compression: "what came before is decoded; see what gzip --test says"
    case .empty: nil
    case .noFrame: "did a receiver write it, and was its speed right? see --stats"
    case .noColumns: "a recording must not be called .csv"
    case .noFix: "--stats tells what is in it"
    }
  }

  private var reason: String {
    switch cause {
    case .system(ENOENT): return "no such file or directory"
    case .system(EISDIR): return "it is a directory"
    case .system(EACCES): return "permission denied"
    case .system(ENOSPC): return "no space left on the device"
    case .system(let code): return systemErrorText(code)
    case .compression(let error): return error.description
    case .empty: return "it is empty"
    case .noFrame(let bytes): return "no sentence and no frame in \(bytes) bytes"
    case .noColumns: return "no columns lat and lon in its first line"
    case .noFix(0): return "nothing in it tells of a position"
    case .noFix(let epochs): return "\(epochs) epochs, none with a position"
    }
  }
}
