import Foundation
import Glibc
import Testing

/// A start that fails: the daemon reports the cause and the remedy once and changes no file.
@Suite struct BadStartTests {
  /// Runs a daemon that must not start and returns its message.
  private func refusal(
    in folder: Folder, socket: String = "s", state: String? = nil, limit: String? = nil, _ more: String...
  ) async throws -> String {
    var words =
      [Program.onefixd, "--no-panel", "--config", try folder.write(Daemon.configuration, to: "onefix.toml")]
      + ["--socket", folder.path(socket), "--state", state ?? folder.path("state")] + more
    if let limit { words = ["/bin/sh", "-c", "ulimit \(limit); exec \"$0\" \"$@\""] + words }
    let daemon = try await Child(words[0], Array(words.dropFirst())).finish()
    guard case .exit(let status) = daemon.end, status != 0 else {
      Issue.record("\(daemon)")
      return ""
    }
    #expect(daemon.errors.count == 1, "\(daemon.errors)")
    #expect(daemon.output == [])
    return daemon.errors.first ?? ""
  }

  @Test func `a file at the path of the socket is not removed`() async throws {
    let folder = try Folder()
    _ = try folder.write("precious", to: "s")
    let message = try await refusal(in: folder)
    #expect(message.contains(folder.path("s")) && message.contains("--socket"))
    #expect(try String(contentsOfFile: folder.path("s"), encoding: .utf8) == "precious")
    #expect(!folder.has("owner.sock"))
  }

  @Test func `too few file descriptors are reported at the start`() async throws {
    let message = try await refusal(in: try Folder(), limit: "-n 30")
    #expect(message.contains("can open only 30 files") && message.contains("LimitNOFILE"))
  }

  @Test func `the socket of a running daemon is not replaced`() async throws {
    try await Daemon.with { daemon in
      let message = try await refusal(in: daemon.folder, state: daemon.folder.path("other-state"))
      #expect(message.contains("another daemon") && message.contains("--socket"))
      #expect(try await daemon.fix().accuracy == "full")
    }
  }

  @Test func `a listener that is too busy to answer is treated as running`() async throws {
    let folder = try Folder()
    let listener = try RawSocket.listen(folder.path("s"), backlog: 0)
    // The queue of the listener is full, so that the next connection must try again.
    let waiting = try RawSocket.connect(folder.path("s"))
    let message = try await refusal(in: folder)
    #expect(message.contains("--socket"))
    #expect(folder.has("s"))
    #expect(listener.accept() != nil)
    _ = waiting
  }

  @Test func `a state directory that another daemon uses is not opened`() async throws {
    try await Daemon.with { daemon in
      let folder = try Folder()
      let message = try await refusal(in: folder, state: daemon.folder.path("state"))
      #expect(message.contains("pid \(daemon.process.pid)") && message.contains("--state"))
      #expect(!folder.has("s") && !folder.has("owner.sock"))
      #expect(try await daemon.fix().accuracy == "full")
    }
  }

  @Test(arguments: ["/proc/onefix-state", "FOLDER/onefix.toml/state", "FOLDER/onefix.toml"])
  func `a state directory that cannot be created is named, with the remedy`(path: String) async throws {
    let folder = try Folder()
    let state = path.replacing("FOLDER", with: folder.path)
    let message = try await refusal(in: folder, state: state)
    #expect(message.contains("state directory \(state)") && message.contains("--state"), "\(message)")
    #expect(folder.names == ["onefix.toml"])
  }

  @Test(.enabled(if: getuid() != 0, "root may write to every folder"))
  func `a state directory that cannot be written is named, with the remedy`() async throws {
    let folder = try Folder()
    #expect(unsafe mkdir(folder.path("state"), 0o500) == 0)
    #expect(try await refusal(in: folder).contains("--state"))
  }

  @Test func `a state directory is created with its parents, and its key is beside it`() async throws {
    let folder = try Folder()
    let state = folder.path("deep/down/state///")
    let words = ["--no-panel", "--socket", folder.path("s"), "--state", state]
    let daemon = try Child(Program.onefixd, words)
    _ = try await daemon.errors.first("READY") { $0.lines.first { $0.hasPrefix("READY ") } }
    #expect(folder.has("deep/down/state/onefix.sqlite") && folder.has("deep/down/state.key"))
    #expect(!folder.has("deep/down/state/.key"))
    daemon.kill(SIGTERM)
    #expect(try await daemon.finish().end == .exit(0))
  }

  @Test func `a board that does not exist is refused`() async throws {
    let message = try await refusal(in: try Folder(), socket: "s", state: nil, "--board", "raspberry-pi-55")
    #expect(message.contains("raspberry-pi-55") && message.contains("simulated"))
  }

  @Test(arguments: [
    ("nonsense", "simulated"), ("simulated:warm", "cold"), ("replay:/nowhere.nmea", "/nowhere.nmea"),
    ("replay:/tmp", "directory"), ("replay:/nowhere.nmea@0", "0.001...100000"), ("uart:/dev/nowhere", "/dev/nowhere"),
    ("uart:/dev/null", "tty"), ("uart:/dev/nowhere:1234", "9600"), ("uart:", "PATH"), ("replay:", "FILE"),
  ])
  func `a receiver that cannot be opened is refused`(receiver: String, hint: String) async throws {
    let folder = try Folder()
    let message = try await refusal(in: folder, socket: "s", state: nil, "--receiver", receiver)
    #expect(message.contains(hint), "\(message)")
    #expect(!folder.has("s") && !folder.has("owner.sock"))
  }

  @Test func `a path of a socket that is too long is refused`() async throws {
    let message = try await refusal(in: try Folder(), socket: String(repeating: "s", count: 100))
    #expect(message.contains("107") && message.contains("--socket"))
  }

  @Test(arguments: [["--nonsense"], ["--log-level", "loud"], ["--log-level", "radio=debug"]])
  func `wrong usage ends with 64`(words: [String]) async throws {
    #expect(try await Child(Program.onefixd, words).finish().end == .exit(64))
  }

  @Test(.disabled(if: Sanitizer.name == "thread", "the files of the sanitizer exceed the limit of this test"))
  func `a store without enough space reports it, and no stored data is lost`() async throws {
    let first = try await Daemon.start()
    try await first.authorize()
    #expect(try await first.stop().end == .exit(0))
    let safe = try await first.folder.sqlite("SELECT * FROM disclosure_log")
    // Files of at most 20 kB, which is less than the shared memory of SQLite.
    let message = try await refusal(in: first.folder, limit: "-f 40")
    #expect(message.contains("database or disk is full (free space on its file system)"), "\(message)")
    #expect(try await first.folder.sqlite("SELECT * FROM disclosure_log") == safe)
  }

  @Test func `the database of another program is not changed`() async throws {
    let folder = try Folder()
    #expect(unsafe mkdir(folder.path("state"), 0o700) == 0)
    let text = String(repeating: "no database ", count: 100)
    _ = try folder.write(text, to: "state/onefix.sqlite")
    #expect(try await refusal(in: folder).contains(folder.path("state/onefix.sqlite")))
    #expect(try String(contentsOfFile: folder.path("state/onefix.sqlite"), encoding: .utf8) == text)
  }

  @Test func `with a real receiver only configured users can press and ask`() async throws {
    let terminal = try Terminal()
    let folder = try Folder()
    let words = ["--no-panel", "--config", try folder.write(Daemon.configuration, to: "onefix.toml")]
    let sockets = ["--socket", folder.path("s"), "--state", folder.path("state")]
    let daemon = try Child(Program.onefixd, words + sockets + ["--receiver", "uart:\(terminal.path)"])
    _ = try await daemon.errors.first("READY") { $0.lines.first { $0.hasPrefix("READY ") } }
    for command in ["press", "hold"] {
      let press = try await Child(Program.onefix, [command, "--socket", folder.path("s")]).finish()
      #expect(press.end != .exit(0))
      #expect(press.errors.contains { $0.contains("--allow-simulated-press") })
    }
    let stranger = try await Child(Program.onefix, ["request", "--app", "stranger", "--socket", folder.path("s")])
      .finish()
    #expect(stranger.end != .exit(0) && stranger.errors.contains { $0.contains("902 auth-failed") })
    daemon.kill(SIGTERM)
    #expect(try await daemon.finish().end == .exit(0))
  }

  @Test func `a key from the service manager is used, and no key is created`() async throws {
    let folder = try Folder()
    let key = try folder.write(String(repeating: "k", count: 32), to: "onefix.key")
    unsafe chmod(key, 0o440)
    let words = ["--no-panel", "--config", try folder.write("", to: "onefix.toml"), "--socket", folder.path("s")]
    let options = ["--state", folder.path("state"), "--anchor", folder.path("anchor")]
    let environment = ["CREDENTIALS_DIRECTORY": folder.path]
    let daemon = try Child(Program.onefixd, words + options, environment: environment)
    _ = try await daemon.errors.first("READY") { $0.lines.contains { $0.hasPrefix("READY") } ? true : nil }
    #expect(!folder.has("state.key"))
    daemon.kill(SIGTERM)
    #expect(try await daemon.finish().end == .exit(0))
    // Another key cannot decrypt or verify the data of this one.
    let verify = try await Child(Program.onefixd, ["--verify-log"] + words + options, environment: environment).finish()
    #expect(verify.end == .exit(0), "\(verify)")
    unsafe chmod(key, 0o444)
    let refused = try await Child(Program.onefixd, words + options, environment: environment).finish()
    #expect(refused.end == .exit(3) && refused.errors.joined().contains("other users may read or write it"))
  }
}
