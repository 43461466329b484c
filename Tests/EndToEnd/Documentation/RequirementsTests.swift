import Foundation
import Glibc
import Repository
import Requirements
import Testing

@Suite struct RequirementsTests {
  /// Whether this process was started by the other test.
  private static let isInner = ProcessInfo.processInfo.environment["ONEFIX_MISSING"] != nil

  @Test(.needs("a missing requirement", !isInner))
  func `a test with a missing requirement, in another process`() {
    #expect(!Self.isInner, "the test ran")
  }

  @Test(.enabled(if: !isInner)) func `a test that is skipped without a reason, in another process`() {
    #expect(!Self.isInner, "the test ran")
  }

  @Test(.enabled(if: !isInner, "this process was started by the test"))
  func `the last lines of Scripts test are the skipped tests with their reasons`() async throws {
    let folder = try Folder()
    let events = folder.path + "/events"
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let words = ["--testing-library", "swift-testing", "--filter", "RequirementsTests"]
    let inner = try Child(
      runner, words + ["--event-stream-output-path", events], environment: ["ONEFIX_MISSING": "1", "CI": ""])
    #expect(try await inner.finish().end == .exit(0))
    let end = try await Child("python3", ["-B", "\(Repository.root)/Tests/System/skipped.py", events]).finish()
    let reason = "this process was started by the test"
    #expect(
      end.output == [
        "skipped: a test that is skipped without a reason, in another process (no reason)",
        "skipped: a test with a missing requirement fails if CI is set, and is otherwise skipped (\(reason))",
        "skipped: a test with a missing requirement, in another process (needs: a missing requirement)",
        "skipped: the last lines of Scripts test are the skipped tests with their reasons (\(reason))",
      ], "\(end.errors)")
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
