/// What went wrong at a device: the operation, the object, the cause, and a remedy where one is known.
package struct HardwareError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A few kinds that callers tell apart; everything else is for people.
  package enum Kind: Hashable, Sendable {
    /// There is no such device, or it has gone.
    case absent
    /// Another program holds it.
    case busy
    case notPermitted
    /// It is there, but is not what it was said to be, or was asked for what it cannot do.
    case unsuitable
    /// It failed while in use.
    case failed
  }

  package var kind: Kind
  /// As in `open`, `configure`, `read`.
  package var operation: String
  /// As in `/dev/ttyS0`.
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
