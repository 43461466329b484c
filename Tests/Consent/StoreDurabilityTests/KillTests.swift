import Foundation
import Glibc
import Requirements
import StateStore
import StoreScenario
import Synchronization
import Testing

@Suite struct KillTests {
  private static let calls =
    ["write", "pwrite64", "fsync", "fdatasync", "ftruncate", "fallocate", "mkdir", "unlink", "rename", "link", "chmod"]
    // A question mark lets strace ignore calls that the architecture does not have.
    .map { "?\($0)" }.joined(separator: ",") + ",?mkdirat,?unlinkat,?renameat,?renameat2,?linkat,?fchmodat"

  /// The scenario runs in a separate program, which strace kills before each of its writing calls in turn.
  @Test(
    .needs("apt-get install strace", hasStrace),
    .enabled(if: mayTrace, "no process may be traced here; kills at random moments are in EndToEndTests"))
  func `after a kill at any writing system call, the invariants hold and the log verifies`() async throws {
    let undisturbed = try ScratchDirectory()
    defer { undisturbed.remove() }
    let aftermath = try Aftermath(undisturbedIn: undisturbed.path)
    let traced = try ScratchDirectory()
    defer { traced.remove() }
    #expect(try Self.run(in: traced, "-o '\(traced.path)/calls' -e trace=\(Self.calls)") == nil)
    let trace = try String(contentsOfFile: traced.path + "/calls", encoding: .utf8)
    // strace counts the calls of each name.
    let names = trace.split(separator: "\n").compactMap { line in
      line.firstIndex(of: "(").map { String(line[..<$0]) }
    }
    let moments = Dictionary(grouping: names) { $0 }.flatMap { name, all in (1...all.count).map { (name, $0) } }
    let findings = Findings()
    let workers = 2
    await runInBackground(workers: workers) { worker in
      for (name, number) in moments.enumerated().filter({ $0.offset % workers == worker }).map(\.element) {
        do {
          let scratch = try ScratchDirectory()
          defer { scratch.remove() }
          let kill = "-o /dev/null -e trace=\(name) -e inject=\(name):signal=KILL:when=\(number)"
          guard let steps = try Self.run(in: scratch, kill) else { continue }
          findings.killed.withLock { $0 += 1 }
          try aftermath.check(scratch.path, after: steps)
        } catch {
          findings.failures.withLock { $0.append("\(name) \(number): \(error)") }
        }
      }
    }
    let kills = findings.killed.withLock { $0 }
    print("kills: \(names.count) calls that write, \(kills) kills")
    let found = findings.failures.withLock { $0 }
    #expect(found.isEmpty, "\(found.count): \(found.prefix(3).joined(separator: "\n"))")
    #expect(kills > 100 && kills == names.count)
  }

  private final class Findings: Sendable {
    let killed = Mutex(0)
    let failures = Mutex<[String]>([])
  }

  /// Runs the scenario under strace.
  ///
  /// - Returns: The number of finished steps if the scenario was killed; nil if it was not killed.
  private static func run(in scratch: ScratchDirectory, _ options: String) throws -> Int? {
    let output = scratch.path + "/steps"
    let status = shell("strace -qq \(options) '\(program)' '\(scratch.path)' >'\(output)' 2>'\(output).err'")
    let steps = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
    let failure = Failure(message: (try? String(contentsOfFile: output + ".err", encoding: .utf8)) ?? "")
    // The status of a shell for a killed program is 128 and the signal.
    switch (status & 0x7F, status >> 8 & 0xFF) {
    case (0, 0):
      guard steps.count == Scenario.Step.allCases.count else { throw failure }
      return nil
    case (0, 128 + SIGKILL), (SIGKILL, _): return steps.count
    default: throw failure
    }
  }

  struct Failure: Error { var message: String }

  private static let hasStrace = shell("command -v strace >/dev/null") == 0
  private static let mayTrace = shell("strace -qq -o /dev/null true 2>/dev/null") == 0

  /// The program of the scenario, which is built beside the tests.
  private static let program: String = {
    let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return runner.deletingLastPathComponent().appendingPathComponent("store-scenario").path
  }()
}
