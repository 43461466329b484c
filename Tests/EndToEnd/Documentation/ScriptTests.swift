import Foundation
import Glibc
import Testing

/// Tests of the scripts: the places of their files, and the files and processes that remain after a failure.
@Suite struct ScriptTests {
  /// Returns a folder with a copy of the scripts and with programs that say that all packages are installed.
  private static func copy() throws -> (folder: Folder, environment: [String: String]) {
    let folder = try Folder()
    try FileManager.default.copyItem(atPath: "\(Page.root)/Scripts", toPath: folder.path("Scripts"))
    try folder.writeProgram("echo install ok installed", to: "dpkg-query")
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    return (folder, ["PATH": "\(folder.path):\(path)"])
  }

  @Test(arguments: [
    "bench", "check", "check-all", "documentation", "fuzz", "mutate", "package", "record", "release", "run", "shims",
    "soak", "test", "virtual-board",
  ])
  func `a script finds its files whatever CDPATH contains, and through a symbolic link`(name: String) async throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(atPath: folder.path("Scripts"), withIntermediateDirectories: true)
    let link = folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(Page.root)/Scripts/\(name)")
    for program in ["Scripts/\(name)", link] {
      let received = try await Child(
        "bash", ["-c", "cd \"$0\" && exec \"$1\" --help", Page.root, program], environment: ["CDPATH": folder.path]
      ).finish()
      #expect(received.end == .exit(0) && received.errors.isEmpty && !received.output.isEmpty, "\(received)")
    }
  }

  @Test func `tests with a server in their own process have a group without long computations`() throws {
    let groups = try Page.text(of: "Scripts/groups")
    let names = try Regex(String(try #require(groups.firstMatch(of: /(?m)^answering='(.+)'$/)).1))
    let files = Page.files(in: "Tests").filter { !$0.contains(/^Tests\/(?:EndToEnd|Support|Benchmarks|Fuzzers)\//) }
    let serving = try files.filter { try Page.text(of: $0).contains(/(?m)^import (?:NIOPosix|ScriptedGateways)$/) }
    #expect(serving.count > 10)
    for file in serving { #expect("\(file.split(separator: "/")[2]).".contains(names), "\(file)") }
  }

  @Test func `Ctrl-C ends all groups of tests`() async throws {
    let folder = try Folder()
    let group = try folder.writeProgram("echo began\nexec sleep 600", to: "group")
    // A session of its own has the process group that a terminal would interrupt.
    let script = try Child(
      "setsid", ["bash", "-c", "source \"$0/Scripts/groups\"; in_groups \"$1\"", Page.root, group],
      environment: ["ONEFIX_SANITIZER": ""])
    _ = try await script.output.first("three groups") { $0.lines.count == 3 ? true : nil }
    #expect(Glibc.kill(-script.pid, SIGINT) == 0)
    // The output ends with the last process that has it open.
    let finished = try await script.finish()
    #expect(finished.end == .signal(SIGINT), "\(finished)")
  }

  @Test(arguments: [["fuzz", "60"], ["check-all", "fuzz", "shims"]])
  func `after Ctrl-C no further fuzzer and no further step begins`(words: [String]) async throws {
    let (folder, environment) = try Self.copy()
    try folder.writeProgram(
      "case $* in *--show-bin-path*) echo \(folder.path) ;; *--version*) echo Swift version 6.2 ;; esac", to: "swift")
    // As a fuzzer, it ends at Ctrl-C with an exit status and not by the signal.
    try folder.writeProgram(
      "trap 'exit 72' INT\necho $1 >>\(folder.path("begun"))\nkill -INT 0\nexit 1", to: "Fuzz")
    let script = [folder.path("Scripts/\(words[0])")] + words.dropFirst()
    let received = try await Child("setsid", script, environment: environment).finish()
    #expect(received.end == .exit(130), "\(received)")
    #expect(try String(contentsOfFile: folder.path("begun"), encoding: .utf8) == "nmea\n")
    #expect(!folder.has(".build/check-all/shims.log"))
  }

  @Test func `a release that fails keeps the former release, also with a package of the former one`() async throws {
    let (folder, environment) = try Self.copy()
    try folder.writeProgram("exit 0", to: "gpg")
    try FileManager.default.createDirectory(atPath: folder.path(".build/release"), withIntermediateDirectories: true)
    _ = try folder.write("no package", to: ".build/release/former.deb")
    func release(_ package: String) async throws -> Finished {
      try await Child(
        "bash", ["-c", "cd \"$0\" && exec ../Scripts/release --key KEY \"$1\"", folder.path(".build"), package],
        environment: environment.merging(["SOURCE_DATE_EPOCH": "1"]) { $1 }
      ).finish()
    }
    let missing = try await release("missing.deb")
    #expect(missing.end == .exit(1), "\(missing)")
    #expect(
      missing.errors == [
        "release: cannot add \(folder.path)/.build/missing.deb: it is no file (choose a package of Scripts/package)"
      ])
    let invalid = try await release("release/former.deb")
    #expect(invalid.end != .exit(0) && invalid.errors.first == "former.deb", "\(invalid)")
    #expect(folder.has(".build/release/former.deb"))
  }

  @Test func `Scripts/run refuses a session without a terminal of its own, also if its output is a terminal`()
    async throws
  {
    let received = try await Child(
      "script", ["-qefc", "exec setsid --wait '\(Page.root)/Scripts/run'", "/dev/null"]
    ).finish()
    #expect(received.end == .exit(64), "\(received)")
    #expect(
      received.output == [
        "run: cannot read the keys: this session has no terminal of its own (use su --pty, or Scripts/run --once)\r"
      ])
  }

  @Test func `a signal to Scripts/run ends its gateway`() async throws {
    let (folder, environment) = try Self.copy()
    let built = URL(fileURLWithPath: Program.onefixd).deletingLastPathComponent().path
    try folder.writeProgram(
      "case $* in *--show-bin-path*) echo '\(built)' ;; *--version*) echo Swift version 6.2 ;; esac", to: "swift")
    let process = folder.path("process")
    let script = try Child(
      "script", ["-qefc", "echo $$ >'\(process)'; exec '\(Page.root)/Scripts/run'", "/dev/null"],
      environment: environment.merging(["TERM": "xterm", "XDG_STATE_HOME": folder.path]) { $1 })
    try await script.printed("READY socket=")
    let line = try String(contentsOfFile: process, encoding: .utf8)
    let number = try #require(Int32(line.trimmingCharacters(in: .newlines)))
    #expect(Glibc.kill(number, SIGTERM) == 0)
    let finished = try await script.finish()
    #expect(finished.end == .exit(143), "\(finished)")
    // The lock of the state ends with the gateway.
    let lock = try await Child("flock", ["-n", folder.path("onefix-try-out.lock"), "true"]).finish()
    #expect(lock.end == .exit(0))
  }
}
