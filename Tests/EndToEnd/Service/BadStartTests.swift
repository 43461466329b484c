import Foundation
import Glibc
import Testing

/// A start that fails: the daemon reports the cause and the remedy once and changes no file.
@Suite struct BadStartTests {
  /// Runs a daemon that must not start and returns its message.
  private func refusal(in folder: Folder, state: String? = nil, _ more: String...) async throws -> String {
    let daemon = try await Child(Program.onefixd, Self.words(in: folder, state: state) + more).finish()
    guard case .exit(let status) = daemon.end, status != 0 else {
      Issue.record("\(daemon)")
      return ""
    }
    #expect(daemon.errors.count == 1, "\(daemon.errors)")
    #expect(daemon.output == [])
    return daemon.errors.first ?? ""
  }

  /// Returns the arguments of a daemon that, unlike `Daemon`, accepts no simulated press at a real receiver.
  private static func words(in folder: Folder, state: String? = nil) throws -> [String] {
    ["--no-panel", "--config", try folder.write(Daemon.configuration, to: "onefix.toml")]
      + ["--socket", folder.path("s"), "--state", state ?? folder.path("state")]
  }

  /// Runs the body of a test with a daemon that starts.
  private func with(
    _ words: [String], environment: [String: String] = [:], _ body: () async throws -> Void
  ) async throws {
    let daemon = try Child(Program.onefixd, words, environment: environment)
    try await daemon.reported("READY ")
    try await body()
    daemon.kill(SIGTERM)
    #expect(try await daemon.finish().end == .exit(0))
  }

  @Test func `too few file descriptors are reported at the start`() async throws {
    let folder = try Folder()
    let words = ["-c", "ulimit -n 30; exec \"$0\" \"$@\"", Program.onefixd] + (try Self.words(in: folder))
    let refused = try await Child("/bin/sh", words).finish()
    #expect(refused.end != .exit(0) && refused.errors.count == 1, "\(refused)")
    let message = refused.errors.joined()
    #expect(message.contains("can open only 30 files") && message.contains("LimitNOFILE"), "\(message)")
  }

  @Test func `the socket of a running daemon is not replaced, and its state directory is not opened`() async throws {
    try await Daemon.with { daemon in
      let socket = try await refusal(in: daemon.folder, state: daemon.folder.path("other-state"))
      #expect(socket.contains("another daemon") && socket.contains("--socket"))
      let folder = try Folder()
      let state = try await refusal(in: folder, state: daemon.folder.path("state"))
      #expect(state.contains("pid \(daemon.process.pid)") && state.contains("--state"))
      #expect(folder.names == ["onefix.toml"])
      #expect(try await daemon.fix().accuracy == "full")
    }
  }

  @Test func `a listener that is too busy to answer is treated as running`() async throws {
    let folder = try Folder()
    let listener = try RawSocket.listen(folder.path("s"), backlog: 0)
    // The queue of the listener is full, so that the next connection must try again.
    let waiting = try RawSocket.connect(folder.path("s"))
    #expect(try await refusal(in: folder).contains("--socket") && folder.has("s"))
    withExtendedLifetime((listener, waiting)) {}
  }

  @Test(arguments: [
    ("--board", "raspberry-pi-55", "simulated"), ("--receiver", "nonsense", "simulated"),
    ("--receiver", "replay:/nowhere.nmea", "/nowhere.nmea"), ("--receiver", "uart:/dev/nowhere", "/dev/nowhere"),
    ("--receiver", "uart:/dev/null", "tty"),
  ])
  func `a board or a receiver that cannot be opened is refused`(option: String, value: String, hint: String)
    async throws
  {
    let folder = try Folder()
    let message = try await refusal(in: folder, state: nil, option, value)
    #expect(message.contains(hint), "\(message)")
    #expect(!folder.has("s") && !folder.has("owner.sock"))
  }

  @Test(
    .unlessThreadSanitizer,
    arguments: [
      ["--nonsense"], ["--socket", "/tmp/owner.sock"], ["--log-level", "loud"], ["--log-level", "radio=debug"],
      ["--socket", ""], ["--boards="], ["check", "--config", ""], ["console-pin", "--file", ""],
    ])
  func `wrong usage ends with 64`(words: [String]) async throws {
    #expect(try await Child(Program.onefixd, words).finish().end == .exit(64))
  }

  @Test func `with a real receiver only configured users can press and ask`() async throws {
    let terminal = try Terminal()
    let folder = try Folder()
    try await with(Self.words(in: folder) + ["--receiver", "uart:\(terminal.path)"]) {
      for (words, cause) in [
        (["press"], "--allow-simulated-press"), (["hold"], "--allow-simulated-press"),
        (["request", "--app", "stranger"], "902 auth-failed"),
      ] {
        let refused = try await Child(Program.onefix, words + ["--socket", folder.path("s")]).finish()
        #expect(refused.end != .exit(0) && refused.errors.contains { $0.contains(cause) }, "\(words)")
      }
    }
  }

  @Test func `an empty variable of the environment counts as not set`() async throws {
    let folder = try Folder()
    try await with(Self.words(in: folder), environment: ["CREDENTIALS_DIRECTORY": "", "NOTIFY_SOCKET": ""]) {
      #expect(folder.has("state.key"))
    }
    // A gateway of this machine can be at the standard path.
    let status = try await Child(Program.onefix, ["status"], environment: ["ONEFIX_SOCKET": ""]).finish()
    #expect(status.end == .exit(0) || status.errors.contains { $0.contains("/run/onefix/owner.sock") }, "\(status)")
  }

  @Test func `beside a state without its key, no key is created, and the state stays as it is`() async throws {
    let folder = try Folder()
    let words = try Self.words(in: folder)
    try await with(words) {
      let lock = try await Child(Program.onefix, ["lock", "--socket", folder.path("s")]).finish()
      #expect(lock.end == .exit(0))
    }
    try FileManager.default.moveItem(atPath: folder.path("state.key"), toPath: folder.path("backup"))
    let before = FileManager.default.contents(atPath: folder.path("state/onefix.sqlite"))
    let refused = try await Child(Program.onefixd, words).finish()
    #expect(refused.end == .exit(3) && !folder.has("state.key"))
    #expect(refused.errors.contains { $0.contains("state.key: no such file, and the state in") }, "\(refused.errors)")
    #expect(FileManager.default.contents(atPath: folder.path("state/onefix.sqlite")) == before)
    try FileManager.default.moveItem(atPath: folder.path("backup"), toPath: folder.path("state.key"))
    try await with(words) {
      let status = try await Child(Program.onefix, ["status", "--json", "--socket", folder.path("s")]).finish()
      #expect(status.output.joined().contains(#""locked":"true""#), "\(status)")
    }
    // The remedy without the key.
    for name in ["state", "state.anchor", "state.key"] {
      try FileManager.default.moveItem(atPath: folder.path(name), toPath: folder.path("former-\(name)"))
    }
    try await with(words) {
      let status = try await Child(Program.onefix, ["status", "--json", "--socket", folder.path("s")]).finish()
      #expect(status.output.joined().contains(#""locked":"false""#), "\(status)")
    }
  }

  @Test func `a key from the service manager is used, and no key is created`() async throws {
    let folder = try Folder()
    let key = try folder.write(String(repeating: "k", count: 32), to: "onefix.key")
    unsafe chmod(key, 0o440)
    let words = try Self.words(in: folder) + ["--anchor", folder.path("anchor")]
    let environment = ["CREDENTIALS_DIRECTORY": folder.path]
    try await with(words, environment: environment) { #expect(!folder.has("state.key")) }
    // Another key cannot decrypt or verify the data of this one.
    let verify = try await Child(Program.onefixd, ["--verify-log"] + words, environment: environment).finish()
    #expect(verify.end == .exit(0), "\(verify)")
  }
}
