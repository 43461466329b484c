import Glibc
import Requirements
import Testing

/// Apps in containers. A container is a mount namespace that has only the folder of one socket, and for some of the
/// tests a user namespace.
@Suite(.needs("root, to act as other users", getuid() == 0))
struct ContainerTests {
  /// Two apps whose processes are root, and an app whose root is the user 4242 of this machine. Each has a socket in a
  /// folder of its own.
  private static func configuration(_ folder: Folder) -> String {
    [("left", 0), ("right", 0), ("mapped", 4242)].map { name, uid in
      """
      [[app]]
      id = "\(name)"
      uid = \(uid)
      [[listen]]
      socket = "\(folder.path(name))/onefix.sock"
      app = "\(name)"

      """
    }.joined()
  }

  /// Runs the body of a test with a daemon for these apps. On the simulated board the user of the daemon may act as any
  /// app, but only at the socket that the apps share.
  private func withApps(_ body: (Daemon) async throws -> Void) async throws {
    let folder = try Folder()
    // The users of the containers can reach the sockets.
    #expect(unsafe chmod(folder.path, 0o755) == 0)
    let daemon = try await Daemon.start(in: folder, configuration: Self.configuration(folder))
    try await body(daemon)
    #expect(try await daemon.stop().end == .exit(0))
  }

  /// Connects from a container that has the folder of one app, read-only, in place of the folder of the daemon.
  ///
  /// - Parameter user: The user of this machine that is root in the container; nil for a container without a user
  ///   namespace.
  private func contained(_ name: String, in daemon: Daemon, user: Int? = nil) throws -> Peer {
    let folder = daemon.folder.path
    let connect = """
      mount --bind \(folder)/\(name) /mnt && mount -o remount,bind,ro /mnt && mount -t tmpfs tmpfs \(folder) \
      && test "$(id -u)" = 0 && ! rm -f /mnt/onefix.sock 2>/dev/null && exec nc -U /mnt/onefix.sock
      """
    let become = user.map { ["setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] } ?? []
    let isolate = ["unshare", "--mount"] + (user == nil ? [] : ["--user", "--map-root-user"])
    let words = become + isolate + ["sh", "-c", connect]
    return Peer(try Child("/usr/bin/env", words))
  }

  @Test(arguments: [("left", nil), ("right", nil), ("mapped", 4242)] as [(String, Int?)])
  func `an app in a container is identified by its own socket, and can be no other app`(name: String, user: Int?)
    async throws
  {
    try await withApps { daemon in
      for other in ["left", "right", "mapped", "peer"] where other != name {
        let peer = try contained(name, in: daemon, user: user)
        _ = try await peer.next("INFO")
        #expect(try await peer.reply(to: "HELLO 1 app=\(other)").hasPrefix("-ERR 902 auth-failed "))
      }
      let peer = try contained(name, in: daemon, user: user)
      _ = try await peer.next("INFO")
      #expect(try await peer.reply(to: "HELLO 1 app=\(name) keepalive=0").hasPrefix("+OK proto=1 session="))
      #expect(try await peer.reply(to: "REQ once timeout=300") == "+OK state=awaiting-press")
      try await daemon.pressed(serving: name)
      #expect(try await peer.next("MSG fix/once").contains(#""lat":"#))
    }
  }

  @Test func `a process of another user is no app at the socket`() async throws {
    try await withApps { daemon in
      let words = [
        "--reuid=4243", "--regid=4243", "--clear-groups", "nc", "-U", "\(daemon.folder.path("left"))/onefix.sock",
      ]
      let peer = Peer(try Child("setpriv", words))
      _ = try await peer.next("INFO")
      #expect(try await peer.reply(to: "HELLO 1 app=left").hasPrefix("-ERR 902 auth-failed "))
    }
  }

  @Test func `a reload that gives an app a socket of its own ends its connection to the shared socket`() async throws {
    let folder = try Folder()
    #expect(unsafe chmod(folder.path, 0o755) == 0)
    let app = "[[app]]\nid = \"late\"\nuid = 4242\n"
    let daemon = try await Daemon.start(in: folder, configuration: app)
    let words = ["--reuid=4242", "--regid=4242", "--clear-groups", "nc", "-U", daemon.socket]
    let peer = Peer(try Child("setpriv", words))
    _ = try await peer.next("INFO")
    #expect(try await peer.reply(to: "HELLO 1 app=late keepalive=0").hasPrefix("+OK proto=1 session="))
    let listener = "[[listen]]\nsocket = \"\(folder.path("late"))/onefix.sock\"\napp = \"late\"\n"
    _ = try folder.write(app + listener + Daemon.configuration, to: "onefix.toml")
    #expect(try await Peer.owner(daemon).reply(to: "RELOAD") == "+OK restart-for=listen")
    _ = try await peer.next("-ERR 902")
    try await peer.hungUp()
    try await daemon.stopChecked()
  }

  @Test func `the socket of an app cannot be a socket of the daemon`() async throws {
    let folder = try Folder()
    let listener = "[[listen]]\nsocket = \"\(folder.path("owner.sock"))\"\napp = \"left\"\n"
    let text = "[[app]]\nid = \"left\"\nuid = 0\n" + listener
    let words = [
      "--no-panel", "--socket", folder.path("s"), "--state", folder.path("state"), "--config",
      try folder.write(text, to: "onefix.toml"),
    ]
    let refused = try await Child(Program.onefixd, words).finish()
    #expect(refused.end == .exit(2))
    #expect(refused.errors.count == 1 && refused.errors[0].hasPrefix("\(folder.path("onefix.toml")):5: error: "))
    #expect(folder.names == ["onefix.toml"])
  }
}
