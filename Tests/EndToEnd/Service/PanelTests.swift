import Glibc
import Testing

/// The daemon with the simulated board in a terminal.
@Suite struct PanelTests {
  /// Starts a daemon in a terminal of its own.
  /// - Returns: The program `script`, whose input and output are those of the terminal.
  private func begin(in folder: Folder, receiver: String = "simulated") throws -> Child {
    let words = [
      Program.onefixd, "--socket", folder.path("s"), "--state", folder.path("state"), "--config",
      try folder.write(Daemon.configuration, to: "onefix.toml"), "--receiver", receiver,
    ]
    return try Child("script", ["-qefc", words.joined(separator: " "), "/dev/null"])
  }

  /// Types a key after the panel is drawn, waits for a text in the terminal, and ends the daemon with the key `q`.
  private func type(_ key: String, in terminal: Child, shows text: String) async throws {
    for (text, key) in [("space: press, h: hold, q: quit", key), (text, "q")] {
      _ = try await terminal.output.first("'\(text)' in the terminal") { $0.description.contains(text) ? true : nil }
      terminal.write(Array(key.utf8))
    }
    let finished = try await terminal.finish()
    #expect(finished.end == .exit(0))
    #expect(finished.output.contains { $0.contains("\u{1B}[1;1H\u{1B}[2K") }, "the panel begins in the first row")
    #expect(finished.output.contains { $0.contains("\u{1B}[r") }, "all rows of the terminal scroll again")
  }

  @Test(arguments: [(" ", "no app waited"), ("h", "▰▰▰"), ("h", "stopped all sharing")])
  func `the keys of the panel press and hold the button, and the panel shows the effect`(
    key: String, effect: String
  ) async throws {
    let folder = try Folder()
    try await type(key, in: try begin(in: folder), shows: effect)
    #expect(!folder.has("s"))
  }

  @Test func `without permission for simulated presses, a key of the panel has an error below the panel`() async throws
  {
    let (folder, receiver) = (try Folder(), try Terminal())
    let terminal = try begin(in: folder, receiver: "uart:\(receiver.path):9600")
    try await type(" ", in: terminal, shows: "onefixd: cannot press the simulated button: the receiver is real")
    #expect(!folder.has("s"))
  }

  @Test func `the daemon ends when the terminal of its panel is closed`() async throws {
    let folder = try Folder()
    let terminal = try begin(in: folder)
    _ = try await eventually("the socket of the daemon") { folder.has("s") ? true : nil }
    // The end of `script` closes the terminal.
    terminal.kill(SIGKILL)
    _ = try await eventually("the end of the daemon") { folder.has("s") ? nil : true }
  }
}
