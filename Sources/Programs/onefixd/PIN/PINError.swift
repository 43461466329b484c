/// Why there is no PIN.
package enum PINError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is too short or too long, or has what not every terminal can type.
  case unsuitable
  case unreadable(path: String, cause: String)
  /// Others than its owner may use it.
  case exposed(path: String)
  /// It was not made by this program.
  case malformed(path: String)
  case unwritable(path: String, cause: String)

  package var description: String {
    switch self {
    case .unsuitable: "cannot use this PIN: it must have 4 to 32 letters, digits or other ASCII characters, no spaces"
    case .unreadable(let path, let cause):
      "cannot read the PIN \(path): \(cause) (onefixd console-pin --file \(path) makes it; the daemon's user must own it)"
    case .exposed(let path): "cannot use the PIN \(path): others may use it, too (chmod 600 \(path))"
    case .malformed(let path):
      "cannot read the PIN \(path): it is none (onefixd console-pin --file \(path) makes it anew)"
    case .unwritable(let path, let cause): "cannot write the PIN \(path): \(cause)"
    }
  }
}
