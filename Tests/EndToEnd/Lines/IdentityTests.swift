import Glibc
import Testing

@Suite struct IdentityTests {
  /// Whether the user of the tests may become another user.
  private static let isRoot = getuid() == 0

  @Test(.enabled(if: isRoot, "only root can try as another user"))
  func `an app of another user can ask if it is configured, but cannot claim another app's id`() async throws {
    let folder = try Folder()
    _ = unsafe chmod(folder.path, 0o755)
    let configuration = try folder.write("[[app]]\nid = \"kiosk\"\nuid = 65534\n", to: "kiosk.toml")
    let daemon = try await Daemon.start(in: folder, ["--config", configuration])
    let words = ["--reuid=65534", "--regid=65534", "--clear-groups", "/bin/nc", "-U", "-q", "1", daemon.socket]
    for (app, answer) in [("kiosk", "+OK proto=1"), ("onefix", "-ERR 902 auth-failed")] {
      let client = try Child("/usr/bin/setpriv", words)
      client.write(Array("HELLO 1 app=\(app)\n".utf8))
      _ = try await client.output.first("the answer to HELLO") { received in
        received.lines.first { $0.hasPrefix(answer) }
      }
      client.kill(SIGTERM)
    }
    #expect(try await daemon.stop().end == .exit(0))
  }

  @Test(.enabled(if: isRoot, "only root can try as another user"))
  func `the socket of the owners is closed to other users`() async throws {
    let folder = try Folder()
    _ = unsafe chmod(folder.path, 0o755)
    let daemon = try await Daemon.start(in: folder)
    let words = ["--reuid=65534", "--regid=65534", "--clear-groups", "/bin/nc", "-U", daemon.ownerSocket]
    let client = try Child("/usr/bin/setpriv", words)
    let end = try await client.finish()
    #expect(end.end != .exit(0) && end.errors.contains { $0.contains("Permission denied") }, "\(end)")
    #expect(try await daemon.stop().end == .exit(0))
  }
}
