package enum PINError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The PIN has less than 4 or more than 32 characters, or a character that some terminals cannot type.
  case unsuitable
  case unreadable(path: String, cause: String)
  /// Other users have access to the file with the hash of the PIN.
  case exposed(path: String)
  case malformed(path: String)
  case unwritable(path: String, cause: String)

  package var description: String {
    switch self {
    case .unsuitable: "cannot use this PIN: it must have 4 to 32 letters, digits or other ASCII characters, no spaces"
    case .unreadable(let path, let cause):
      "cannot read the PIN \(path): \(cause) (onefixd console-pin --file \(path) creates it; the "
        + "daemon's user must own it)"
    case .exposed(let path): "cannot use the PIN \(path): other users can access it (chmod 600 \(path))"
    case .malformed(let path):
      "cannot read the PIN \(path): the file has the wrong format (onefixd console-pin --file \(path) creates it again)"
    case .unwritable(let path, let cause): "cannot write the PIN \(path): \(cause)"
    }
  }
}
