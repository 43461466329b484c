import Glibc
import OperatingSystem

/// An error of the state store (the database and its files).
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    case absent
    case notPermitted
    /// Another process uses the state directory or the database.
    case busy
    /// The file is not a database, or is damaged.
    case damaged
    /// A newer version of this program, or another program, wrote the file.
    case unsuitable
    /// The disk is full. Nothing was written, and the caller can try again later.
    case full
    /// The encrypted value cannot be decrypted: another program changed the value, or another device encrypted the
    /// value.
    case sealBroken
    case closed
    case failed
  }

  package var kind: Kind
  /// The failed operation for the error message, for example `open` or `save the record of ferry in`.
  package var operation: String
  /// The path of the file or directory, for example `/var/lib/onefix/onefix.sqlite`.
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

  init(_ operation: String, _ object: String, errno code: Int32, remedy: String? = nil) {
    let kind: Kind =
      switch code {
      case ENOENT, ENOTDIR: .absent
      case EACCES, EPERM, EROFS, ELOOP: .notPermitted
      case ENOSPC, EDQUOT, EFBIG: .full
      default: .failed
      }
    let remedy =
      switch code {
      case _ where kind == .full: StoreError.fullDiskRemedy
      case EROFS: StoreError.readOnlyRemedy
      case ELOOP: "put the file in place of the symbolic link"
      case EIO: StoreError.diskErrorRemedy
      default: remedy
      }
    self.init(kind, operation, object, cause: systemErrorText(code), remedy: remedy)
  }

  static let fullDiskRemedy = "free space on its file system"
  static let readOnlyRemedy = "mount its file system with write access"
  static let diskErrorRemedy = "check the kernel log for disk errors"
  static let permissionRemedy = "make the state directory and its files writable for this user"

  package var description: String {
    "cannot \(operation) \(object): \(cause)" + (remedy.map { " (\($0))" } ?? "")
  }
}
