import Foundation
import Testing

/// Tests of the script that installs the packages of the other scripts.
@Suite struct PrerequisitesTests {
  /// Runs the script with other programs in place of those of the system.
  private static func run(_ purposes: String..., with programs: [String: String], in folder: Folder? = nil) async throws
    -> Finished
  {
    let folder = try folder ?? Folder()
    for (name, body) in programs { try folder.writeProgram(body, to: name) }
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    return try await Child(
      "bash", ["\(Page.root)/Scripts/prerequisites"] + purposes, environment: ["PATH": "\(folder.path):\(path)"]
    ).finish()
  }

  @Test(arguments: [("1000", true), ("1000", false), ("0", false)])
  func `without root, a script with missing packages prints the command that installs them and ends`(
    user: String, isInstalled: Bool
  ) async throws {
    let folder = try Folder()
    let called = folder.path("called")
    let programs = [
      "id": "echo \(user)",
      "dpkg-query": isInstalled ? "echo install ok installed" : "exit 1",
      "apt-get": "echo apt-get $* >>\(called)",
      "sudo": "echo sudo $* >>\(called); exit 1",
    ]
    let received = try await Self.run("build", "soak", with: programs, in: folder)
    let calls = (try? String(contentsOfFile: called, encoding: .utf8)) ?? ""

    if isInstalled {
      #expect(received.end == .exit(0) && received.output.isEmpty && received.errors.isEmpty, "\(received)")
      #expect(calls.isEmpty)
    } else if user == "0" {
      #expect(received.end == .exit(0), "\(received)")
      #expect(calls.hasPrefix("apt-get install --no-install-recommends -y -qq -o DPkg::Lock::Timeout=600 git "))
    } else {
      #expect(received.end == .exit(1) && received.output.isEmpty, "\(received)")
      #expect(received.errors.last?.hasPrefix("sudo apt-get install --no-install-recommends git ") == true)
      #expect(received.errors.filter { $0.contains("apt-get install") }.count == 1)
      #expect(calls.isEmpty, "the script asked for root")
    }
  }

  @Test(arguments: [[], ["bulid"], ["build", "nothing"]])
  func `the script of the packages rejects an unknown purpose, and none`(purposes: [String]) async throws {
    let received = try await Child("bash", ["\(Page.root)/Scripts/prerequisites"] + purposes).finish()
    #expect(received.end == .exit(64) && received.output.isEmpty, "\(received)")
    #expect(received.errors.contains { $0.contains("Scripts/prerequisites build [display]") }, "\(received)")
    if let last = purposes.last { #expect(received.errors.first == "error: unknown purpose '\(last)'") }
  }

  @Test func `if the toolchain does not start, one command names its packages and all others`() async throws {
    let programs = ["id": "echo 1000", "dpkg-query": "exit 1", "apt-get": "exit 1", "swift": "exit 127"]
    let received = try await Self.run("build", "test", with: programs)
    #expect(received.end == .exit(1), "\(received)")
    let command = try #require(received.errors.last)
    for name in ["libxml2", "libgpiod-dev", "gpsbabel"] { #expect(command.contains(" \(name)"), "\(received)") }
  }

  @Test func `on a 32-bit system, a script names a system for which Swift exists`() async throws {
    let received = try await Self.run("build", with: ["dpkg": "echo armhf"])
    #expect(received.end == .exit(1), "\(received)")
    #expect(
      received.errors == [
        "error: cannot build on a 32-bit system: Swift has no toolchain for it "
          + "(install 64-bit Debian or Raspberry Pi OS)"
      ])
  }
}
