import Foundation
package import Testing

/// Something that a test needs is not there, where everything has to be.
package struct Missing: Error, CustomStringConvertible {
  package let what: String

  package var description: String { "missing, and with CI set nothing is left out: \(what)" }
}

extension Trait where Self == ConditionTrait {
  /// A program or package that a test needs. Where `CI` is set in the environment, the test fails where that is not there;
  /// else it is left out, and that is said.
  /// - Parameter what: as in `apt-get install gpsd`.
  package static func needs(_ what: String, _ isThere: @autoclosure @escaping @Sendable () -> Bool) -> Self {
    .enabled("needed: \(what)") {
      if isThere() { return true }
      if isRequired(ProcessInfo.processInfo.environment["CI"]) { throw Missing(what: what) }
      FileHandle.standardError.write(Data("left out: \(Test.current?.name ?? "a test") (needed: \(what))\n".utf8))
      return false
    }
  }
}

/// - Parameter ci: the variable of that name.
package func isRequired(_ ci: String?) -> Bool { !["", "0", "false", nil].contains(ci) }
