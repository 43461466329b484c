import Glibc
import Testing

/// The daemon with the simulated board in a terminal.
@Suite struct PanelTests {
  @Test func `the daemon ends when the terminal of its panel is closed`() async throws {
    let folder = try Folder()
    let words = [
      Program.onefixd, "--socket", folder.path("s"), "--state", folder.path("state"), "--config",
      try folder.write(Daemon.configuration, to: "onefix.toml"),
    ]
    let terminal = try Child("script", ["-qefc", words.joined(separator: " "), "/dev/null"])
    _ = try await eventually("the socket of the daemon") { folder.has("s") ? true : nil }
    // The end of `script` closes the terminal.
    terminal.kill(SIGKILL)
    _ = try await eventually("the end of the daemon") { folder.has("s") ? nil : true }
  }
}
