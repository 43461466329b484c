/// An error of a hardware device, with the words of its message: cannot *operation* *object*: *cause* (*remedy*).
package struct HardwareError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error to which callers react differently.
  package enum Kind: Hashable, Sendable {
    /// The device does not exist, or has been removed.
    case absent
    case busy
    case notPermitted
    /// The device has the wrong type, or does not support the operation.
    case unsuitable
    /// The device failed during its use.
    case failed
  }

  /// The remedy for the system error EPERM, which results from the sandbox of a systemd service. Missing permissions of
  /// a file in `/dev` result in EACCES instead.
  package static let sandboxRemedy = "does the sandbox of the service allow this device? see onefixd check"

  package var kind: Kind
  /// The failed operation, as a verb for the message, for example `open` or `read`.
  package var operation: String
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

  package var description: String {
    "cannot \(operation) \(object): \(cause)" + (remedy.map { " (\($0))" } ?? "")
  }
}
