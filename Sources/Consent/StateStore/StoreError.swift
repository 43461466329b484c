import Glibc
import OperatingSystem

/// What went wrong with what is kept: the operation, the object, the cause, and a remedy where one is known.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A few kinds that callers tell apart; everything else is for people.
  package enum Kind: Hashable, Sendable {
    /// There is no such file or directory.
    case absent
    case notPermitted
    /// Another process holds the state directory.
    case busy
    /// The file is no database, or a damaged one.
    case damaged
    /// It was written by a newer version of this program, or by another program.
    case unsuitable
    /// No room: nothing was written. It may be tried again once there is room.
    case full
    /// What was sealed does not open with this key and under this name.
    case sealBroken
    /// The store has been closed.
    case closed
    /// The system failed at it.
    case failed
  }

  package var kind: Kind
  /// As in `open`, `save the record of ferry in`.
  package var operation: String
  /// As in `/var/lib/onefix/onefix.sqlite`.
  package var object: String
  package var cause: String
  package var remedy: String?

  package init(_ kind: Kind, _ operation: String, _ object: String, cause: String, remedy: String? = nil) {
    self.kind = kind
    self.operation = operation
    self.object = object
    self.cause = cause
    self.remedy = remedy
  }

  /// From the number that a system call left in `errno`.
  init(_ operation: String, _ object: String, errno code: Int32, remedy: String? = nil) {
    let kind: Kind =
      switch code {
      case ENOENT, ENOTDIR: .absent
      case EACCES, EPERM, EROFS, ELOOP: .notPermitted
      case ENOSPC, EDQUOT, EFBIG: .full
      default: .failed
      }
    self.init(
      kind, operation, object, cause: systemErrorText(code), remedy: kind == .full ? StoreError.roomRemedy : remedy)
  }

  static let roomRemedy = "make room on its file system"

  package var description: String {
    "cannot \(operation) \(object): \(cause)" + (remedy.map { " (\($0))" } ?? "")
  }
}
