import Foundation
import Requirements
import Testing

@Suite struct RequirementsTests {
  /// Whether this process was started by the other test.
  private static let isInner = ProcessInfo.processInfo.environment["ONEFIX_MISSING"] != nil

  @Test(.needs("a missing requirement", !isInner))
  func `a test with a missing requirement, in another process`() {
    #expect(!Self.isInner, "the test ran")
  }

  @Test(
    .enabled(if: !isInner, "this process was started by the test"),
    arguments: [("true", true), ("1", true), ("", false), ("0", false), ("false", false)])
  func `a test with a missing requirement fails if CI is set, and is otherwise skipped`(
    ci: String, isRequired: Bool
  ) async throws {
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let end = try await Child(
      runner, ["--testing-library", "swift-testing", "--filter", "RequirementsTests"],
      environment: ["ONEFIX_MISSING": "1", "CI": ci]
    ).finish()
    let received = end.output + end.errors
    #expect((end.end == .exit(0)) == !isRequired, "\(received)")
    let phrase = isRequired ? "must not be skipped: a missing requirement" : "skipped: "
    #expect(received.contains { $0.contains(phrase) }, "\(received)")
    #expect(!received.contains { $0.contains("the test ran") })
  }
}
