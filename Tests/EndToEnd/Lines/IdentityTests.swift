import Glibc
import Testing

/// Connections of another user.
@Suite(.enabled(if: getuid() == 0, "only root can try as another user"))
struct IdentityTests {
  private static let user = ["--reuid=65534", "--regid=65534", "--clear-groups", "/bin/nc", "-U"]

  /// Runs the body of a test with a daemon whose folder other users can enter.
  private func withDaemon(_ configuration: String = "", _ body: (Daemon) async throws -> Void) async throws {
    let folder = try Folder()
    _ = unsafe chmod(folder.path, 0o755)
    let daemon = try await Daemon.start(in: folder, configuration: configuration)
    try await body(daemon)
    try await daemon.stopChecked()
  }

  @Test func `an app of another user can ask if it is configured, but cannot claim another app's id`() async throws {
    try await withDaemon("[[app]]\nid = \"kiosk\"\nuid = 65534\n") { daemon in
      for (app, answer) in [("kiosk", "+OK proto=1"), ("onefix", "-ERR 902 auth-failed")] {
        let client = Peer(try Child("/usr/bin/setpriv", Self.user + [daemon.socket]))
        #expect(try await client.reply(to: "HELLO 1 app=\(app)").hasPrefix(answer))
      }
    }
  }

  @Test func `the socket of the owners is closed to other users`() async throws {
    try await withDaemon { daemon in
      let end = try await Child("/usr/bin/setpriv", Self.user + [daemon.ownerSocket]).finish()
      #expect(end.end != .exit(0) && end.errors.contains { $0.contains("Permission denied") }, "\(end)")
    }
  }
}
