import Foundation
package import Testing

/// The error of a test whose requirement is missing while `CI` is set.
package struct Missing: Error, CustomStringConvertible {
  package let what: String

  package var description: String { "with CI set, a test must not be skipped: \(what)" }
}

extension Trait where Self == ConditionTrait {
  /// A program or package that a test needs. If it is missing, the test fails when `CI` is set in the environment, and
  /// is otherwise skipped with a message.
  /// - Parameters:
  ///   - what: The remedy, for example `apt-get install gpsd`.
  ///   - isAvailable: Whether the program or package is installed.
  package static func needs(_ what: String, _ isAvailable: @autoclosure @escaping @Sendable () -> Bool) -> Self {
    .enabled("needs: \(what)") {
      if isAvailable() { return true }
      if isRequired(ProcessInfo.processInfo.environment["CI"]) { throw Missing(what: what) }
      return false
    }
  }
}

/// Whether missing requirements are errors.
/// - Parameter ci: The value of the environment variable `CI`.
package func isRequired(_ ci: String?) -> Bool { !["", "0", "false", nil].contains(ci) }
