import Glibc

/// A file that cannot be had, with a remedy where one is known.
struct FileError: Error, Equatable, CustomStringConvertible {
  var operation: String
  var name: String
  var code: Int32

  init(_ operation: String, _ name: String, _ code: Int32) {
    self.operation = operation
    self.name = name
    self.code = code
  }

  var description: String {
    "cannot \(operation) \(name): \(FileError.cause(of: code))\(remedy.map { " (\($0))" } ?? "")"
  }

  /// `EX_NOINPUT` or `EX_IOERR` of sysexits.
  var status: Int32 { operation == "write" ? 74 : 66 }

  private var remedy: String? {
    switch code {
    case ENOENT: "is the path right? - reads the standard input"
    case EISDIR: "name one of its files"
    case EACCES, EPERM: "may you read it? for a serial port, the group is often dialout"
    case EBUSY: "is another program holding it?"
    case ENOSPC: "free some space"
    default: nil
    }
  }

  private static func cause(of code: Int32) -> String {
    switch code {
    case ENOENT: return "no such file or directory"
    case EISDIR: return "it is a directory"
    case EACCES: return "permission denied"
    case ENOSPC: return "no space left on the device"
    default:
      guard let text = unsafe strerror(code) else { return "error \(code)" }
      let cause = unsafe String(cString: text)
      return cause.prefix(1).lowercased() + cause.dropFirst()
    }
  }
}
