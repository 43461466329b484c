import Glibc
import Requirements
import Testing

/// Clients of a user without the permission to open a socket of the gateway.
@Suite(.needs("root, to act as another user", getuid() == 0))
struct PermissionTests {
  /// Numbers that no user and no group of this machine has. `group` names the groups for the clients.
  private static let (user, apps, owners) = (uid_t(64_054), gid_t(64_055), gid_t(64_056))

  /// Runs a client without the permissions of root. The machine of the client has the groups of the package.
  private static func run(_ words: [String], in daemon: Daemon) async throws -> Finished {
    let groups = try await Child("cat", ["/etc/group"]).finish().output
    let own = groups.filter { !$0.hasPrefix("onefix") } + ["onefix:x:\(apps):", "onefix-owner:x:\(owners):"]
    let file = try daemon.folder.write(own.joined(separator: "\n") + "\n", to: "group")
    let script = """
      mount --bind '\(file)' /etc/group && ONEFIX_SOCKET='\(daemon.socket)' \
      exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"
      """
    let words = words.map { $0.hasSuffix(".py") || $0.hasSuffix(".sh") ? "\(PythonClientTests.clients)/\($0)" : $0 }
    return try await Child("unshare", ["--mount", "sh", "-c", script, "sh"] + words).finish()
  }

  static let clients: [([String], group: String)] = [
    ([Program.onefix, "request"], "onefix"), (["python3", "-B", "onefix.py", "--app", "onefix"], "onefix"),
    (["sh", "ask-once.sh", "onefix"], "onefix"), ([Program.parkFinder], "onefix"),
    ([Program.onefix, "status"], "onefix-owner"), ([Program.onefix, "log"], "onefix-owner"),
    ([Program.onefix, "doctor"], "onefix-owner"), ([Program.onefix, "prompts", "--watch"], "onefix-owner"),
  ]

  @Test(arguments: clients)
  func `a user who may not open a socket, or the folder of the sockets, is told so, and how to join the group`(
    words: [String], group: String
  ) async throws {
    try await Daemon.with { daemon in
      let folder = daemon.folder.path
      _ = unsafe chmod(folder, 0o755)
      for (path, group) in [(daemon.socket, Self.apps), (daemon.ownerSocket, Self.owners)] {
        #expect(unsafe chown(path, Self.user, group) == 0 && chmod(path, 0o660) == 0)
      }
      try check(try await Self.run(words, in: daemon), "(sudo adduser root \(group), then log in again)")
      // Root is a member of its own group.
      for (group, mode, remedy) in [
        (Self.apps, 0o710, "sudo adduser root onefix, then log in again"),
        (0, 0o700, "this user may not open \(folder)"),
      ] as [(gid_t, mode_t, String)] {
        #expect(unsafe chown(folder, Self.user, group) == 0 && chmod(folder, mode) == 0)
        try check(try await Self.run(words, in: daemon), remedy)
      }
    }
  }

  private func check(_ finished: Finished, _ remedy: String) throws {
    let text = (finished.output + finished.errors).joined(separator: "\n")
    #expect(finished.end != .exit(0) && text.contains("ermission denied") && text.contains(remedy), "\(finished)")
    #expect(!text.contains("running?") && !text.contains("start onefixd"), "\(finished)")
  }
}
