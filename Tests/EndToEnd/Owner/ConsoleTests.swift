import Foundation
import Glibc
import Testing

/// The owner's console: on a serial port of the daemon, and in a terminal.
@Suite struct ConsoleTests {
  @Test func `a session on a port has help, the apps, a prompt with its answer, the log and the kill switch`()
    async throws
  {
    let terminal = try ConsoleTerminal()
    try await Daemon.with(configuration: "[console]\nport = \"\(terminal.path)\"\n") { daemon in
      try await terminal.waitUntilReady()
      try await terminal.enter()
      let help = try await terminal.reply(to: "help")
      for verb in ["status", "allow APP", "answer [PROMPT] CHOICE", "lock", "help [VERB]", "quit"] {
        #expect(help.contains("\r\n\(verb)") || help.hasPrefix(verb), "\(help)")
      }
      let request = try await daemon.request("--app", "peer")
      #expect(try await terminal.reply(to: "apps").contains("peer"))
      terminal.type("sta")
      try await terminal.waitFor("sta")
      try await daemon.press(until: ["prompt"])
      // The question appears above the line that the user was typing.
      try await terminal.waitFor("peer")
      try await terminal.waitFor("onefix> sta")
      terminal.type("\u{15}")
      #expect(try await !terminal.reply(to: "answer yes").contains("another"))
      #expect(try await request.finish().end == .exit(0))
      #expect(try await daemon.onefix("log", "--json").output.first?.contains(#""by":"console""#) == true)
      #expect(try await terminal.reply(to: "log").contains("peer"))
      #expect(try await terminal.reply(to: "stauts").contains("status"))
      _ = try await terminal.reply(to: "lock")
      #expect(try await daemon.status()["locked"] == "true")
      terminal.type("quit\r")
      try await terminal.waitFor("The session has ended.")
      // The next user does not see the unfinished line of the first.
      terminal.type(" ")
      try await terminal.waitFor("onefix> ")
      terminal.type("\u{10}")
      try await terminal.waitFor("\u{7}")
    }
  }

  // MARK: onefix console

  /// Starts `onefix console` in its own terminal.
  private func begin(_ daemon: Daemon, _ terminal: ConsoleTerminal) throws -> Child {
    try Child(
      "/bin/sh",
      ["-c", "exec \"$0\" console --socket \"$1\" <\"$2\" >\"$2\"", Program.onefix, daemon.socket, terminal.path])
  }

  /// - Parameter signal: The signal that ends the command. Nil for the end of the input, Ctrl-D.
  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, nil] as [Int32?])
  func `onefix console has the same commands in a terminal, and restores its settings at any end`(signal: Int32?)
    async throws
  {
    try await Daemon.with { daemon in
      let terminal = try ConsoleTerminal()
      let before = try await stty(terminal.path)
      let console = try begin(daemon, terminal)
      try await terminal.waitFor("onefix> ")
      #expect(try await terminal.reply(to: "status").contains("simulated"))
      if let signal { console.kill(signal) } else { terminal.type("\u{4}") }
      #expect(try await console.finish().end == .exit(signal.map { 128 + $0 } ?? 0))
      #expect(try await stty(terminal.path) == before)
    }
  }

  @Test(arguments: ["console", "top"])
  func `onefix console and onefix top report a missing terminal and a missing daemon`(command: String) async throws {
    try await Daemon.with { daemon in
      let screen = try await daemon.onefix(command)
      #expect(screen.end == .exit(64) && screen.errors.first?.contains("terminal") == true)
    }
    let alone = try await Child(Program.onefix, [command, "--socket", "/nowhere/s"]).finish()
    #expect(alone.end == .exit(7))
  }
}

/// Settings with which a console stays closed. The gateway runs without it.
@Suite struct ConsoleRefusalTests {
  /// Returns the message about the console of a daemon that runs without it.
  private func refusal(_ configuration: String, in folder: Folder) async throws -> String {
    let daemon = try await Daemon.start(in: folder, configuration: configuration)
    let message = try await daemon.process.reported("a port stays closed until the next start: the console: ")
    #expect(message.contains(" error gateway: "))
    try await daemon.stopChecked()
    #expect(
      !daemon.process.errors.value.lines.contains { $0.contains("console open") || $0.contains("cannot open the") })
    return message
  }

  @Test func `a port that is not a local terminal needs a PIN, reported with file, line and remedy`() async throws {
    let folder = try Folder()
    let configuration = "[console]\nport = \"/dev/onefix-nowhere\"\n"
    let message = try await refusal(configuration, in: folder)
    #expect(message.contains("code=console-pin place=\(folder.path("onefix.toml")):1 "), "\(message)")
    #expect(message.contains("onefixd console-pin --file"))
    let location = "\(folder.path("onefix.toml")):1: error: the console: "
    let check = try await Child(Program.onefixd, ["check", "--config", folder.path("onefix.toml")]).finish()
    #expect(check.end == .exit(2))
    #expect(check.errors.contains { $0.hasPrefix(location) })
    #expect(check.errors.contains { $0.contains("warning") && $0.hasSuffix("[console-absent]") })
  }

  /// Writes a PIN to `onefixd console-pin`.
  private func choose(_ pin: String, _ path: String, status: Int32 = 0, _ more: String...) async throws {
    let choice = try Child(Program.onefixd, ["console-pin", "--file", path] + more)
    choice.write(Array("\(pin)\n".utf8))
    choice.closeInput()
    let end = try await choice.finish()
    #expect(end.end == .exit(status), "\(end.errors)")
  }

  @Test func `a PIN is set once from a pipe and then required, and a file that other users can read is refused`()
    async throws
  {
    let folder = try Folder()
    let path = folder.path("console.pin")
    try await choose("258 0", path, status: 1)
    #expect(!folder.has("console.pin"))
    try await choose("2580", path)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("pbkdf2-sha256 600000 "))
    #expect(unsafe chmod(path, 0o644) == 0)
    let configuration = "[console]\nport = \"/dev/onefix-nowhere\"\npin_file = \"\(path)\"\n"
    let message = try await refusal(configuration, in: folder)
    #expect(message.contains("remedy=chmod 600 \(path)"), "\(message)")
  }

  @Test func `a PIN is set at a terminal by typing it twice, without an echo`() async throws {
    let folder = try Folder()
    let path = folder.path("console.pin")
    let (interrupt, faults) = ("\u{3}", ["the two entries differ", "cannot use this PIN"])
    for (typed, status, fault) in [
      (["2580", "2581"], Int32(1), faults[0]), (["258"], 1, faults[1]), ([interrupt], 1, nil),
      (["2580", interrupt], 1, nil), (["2580", "2580"], 0, nil),
    ] {
      let terminal = try ConsoleTerminal()
      let choice = try Child(
        "/bin/sh",
        ["-c", "exec \"$0\" console-pin --file \"$1\" <\"$2\" >\"$2\" 2>\"$2\"", Program.onefixd, path, terminal.path])
      for (question, pin) in zip(["New PIN: ", "Repeat: "], typed) {
        try await terminal.waitFor(question)
        // Typing starts after the echo is off.
        _ = try await eventually("the echo to be off") {
          try await stty(terminal.path).joined().contains("-echo ") ? true : nil
        }
        terminal.type("\(pin)\n")
      }
      #expect(try await choice.finish().end == .exit(status))
      if let fault { try await terminal.waitFor(fault) }
      #expect(!terminal.shown.value.contains("258"))
      #expect(faults.filter { terminal.shown.value.contains($0) } == [fault].compactMap(\.self))
      #expect(folder.has("console.pin") == (status == 0))
    }
  }

  @Test func `a console with on_press shows the fix of each press of its app, with nothing typed`() async throws {
    let terminal = try ConsoleTerminal()
    let table = "language = \"ja\"\n[console]\nport = \"\(terminal.path)\"\non_press = true\napp = \"peer\"\n"
    try await Daemon.with(configuration: table) { daemon in
      try await daemon.allow("peer")
      try await terminal.waitUntilReady()
      for count in 1...2 {
        try await daemon.press(until: ["served", "granted"])
        try await terminal.waitFor(" ±")
        try await terminal.waitFor("Z")
        #expect(terminal.shown.value.matches(of: /[-0-9.]+ [-0-9.]+ ±[0-9.]+ m [-0-9T:.]+Z/).count == count)
      }
      try await terminal.enter()
      #expect(try await terminal.reply(to: "help").contains("長押し"))
    }
  }

  @Test(.enabled(if: getuid() == 0, "only root may give a terminal away"))
  func `the terminal of another user requires the PIN, and a wrong PIN causes a delay`() async throws {
    let folder = try Folder()
    let path = folder.path("console.pin")
    try await choose("2580", path, "--user", "root")
    let terminal = try ConsoleTerminal()
    #expect(unsafe chown(terminal.path, 65_534, 65_534) == 0)
    let daemon = try await Daemon.start(
      in: folder, configuration: "[console]\nport = \"\(terminal.path)\"\npin_file = \"\(path)\"\n")
    try await terminal.waitUntilReady()
    terminal.type("\r")
    try await terminal.waitFor("PIN: ")
    terminal.type("status\r")
    try await terminal.waitFor("PIN is wrong")
    try await terminal.waitFor("PIN: ")
    terminal.type("2580\r")
    try await terminal.waitFor("onefix> ")
    #expect(!terminal.shown.value.contains("258"))
    #expect(try await terminal.reply(to: "status").contains("simulated"))
    let end = try await daemon.stop()
    #expect(end.end == .exit(0))
    #expect(!end.errors.joined().contains("258"))
  }
}
