/// The reason why a PIN cannot be read, set or used.
package enum PINError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The PIN is too short or too long, or has characters that some terminals cannot type.
  case unsuitable
  case unreadable(path: String, cause: String)
  /// Other users can read or write the file.
  case exposed(path: String)
  /// The content of the file is not the hash of a PIN.
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
