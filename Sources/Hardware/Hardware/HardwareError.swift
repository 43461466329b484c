/// An error of a hardware device. The message has the form: cannot *operation* *object*: *cause* (*remedy*).
package struct HardwareError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The device does not exist, or was removed.
    case absent
    case busy
    case notPermitted
    /// The device has the wrong type, or does not support the operation.
    case unsuitable
    case failed
  }

  /// The remedy for the system error EPERM. The sandbox of a systemd service causes EPERM, whereas missing permissions
  /// of a file in `/dev` cause EACCES.
  package static let sandboxRemedy = "does the sandbox of the service allow this device? see onefixd check"

  package var kind: Kind
  /// The failed operation as a verb, for example `open` or `read`.
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
