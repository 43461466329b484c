import Foundation
import Testing

/// Tests of the script that installs the packages of the other scripts.
@Suite struct PrerequisitesTests {
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
    for (name, body) in programs {
      let file = try folder.write("#!/bin/sh\n\(body)\n", to: name)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    let received = try await Child(
      "bash", ["\(Page.root)/Scripts/prerequisites", "build", "soak"], environment: ["PATH": "\(folder.path):\(path)"]
    ).finish()
    let calls = (try? String(contentsOfFile: called, encoding: .utf8)) ?? ""

    if isInstalled {
      #expect(received.end == .exit(0) && received.output.isEmpty && received.errors.isEmpty, "\(received)")
      #expect(calls.isEmpty)
    } else if user == "0" {
      #expect(received.end == .exit(0), "\(received)")
      #expect(calls.hasPrefix("apt-get install --no-install-recommends -y -qq git "))
    } else {
      #expect(received.end == .exit(1) && received.output.isEmpty, "\(received)")
      #expect(received.errors.last?.hasPrefix("sudo apt-get install --no-install-recommends git ") == true)
      #expect(received.errors.filter { $0.contains("apt-get install") }.count == 1)
      #expect(calls.isEmpty, "the script asked for root")
    }
  }
}
