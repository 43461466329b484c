/// An error of a device.
package struct HardwareError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error that callers distinguish.
  package enum Kind: Hashable, Sendable {
    /// The device does not exist, or has disappeared.
    case absent
    case busy
    case notPermitted
    /// The device exists, but has the wrong type, or does not support the operation.
    case unsuitable
    /// The device failed during use.
    case failed
  }

  /// The remedy for the system error EPERM, which the sandbox of a systemd service causes. If the permissions of a file
  /// in `/dev` do not allow the access, the system error is EACCES instead.
  package static let sandboxRemedy = "does the sandbox of the service allow this device? see onefixd check"

  package var kind: Kind
  /// The operation that failed, as a verb, for example `open`, `configure` or `read`.
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
