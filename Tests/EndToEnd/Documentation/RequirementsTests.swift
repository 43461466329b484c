import Foundation
import Glibc
import Requirements
import Testing

@Suite struct RequirementsTests {
  /// Whether this process was started by the other test.
  private static let isInner = ProcessInfo.processInfo.environment["ONEFIX_MISSING"] != nil

  @Test(.needs("what nobody has", !isInner))
  func `a test with a missing requirement, in another process`() {
    #expect(!Self.isInner, "it was run")
  }

  @Test(
    .enabled(if: !isInner, "it starts others"),
    arguments: [("true", true), ("1", true), ("", false), ("0", false), ("false", false)])
  func `a test with a missing requirement fails if CI is set and is otherwise skipped with a message`(
    ci: String, isRequired: Bool
  ) async throws {
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let end = try await Child(
      runner, ["--testing-library", "swift-testing", "--filter", "RequirementsTests"],
      environment: ["ONEFIX_MISSING": "1", "CI": ci]
    ).finish()
    let said = end.output + end.errors
    #expect((end.end == .exit(0)) == !isRequired, "\(said)")
    let phrase = isRequired ? "nothing is left out: what nobody has" : "left out: "
    #expect(said.contains { $0.contains(phrase) }, "\(said)")
    #expect(!said.contains { $0.contains("it was run") })
  }
}
