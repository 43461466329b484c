import Glibc
import Requirements
import Testing

/// Apps in containers. A container is a mount namespace that has only the folder of one socket, and for some of the
/// tests a user namespace.
@Suite(.needs("root, to act as other users", getuid() == 0))
struct ContainerTests {
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

  /// Connects with the socket as another user of this machine.
  private func connect(_ socket: String, as user: Int) async throws -> Peer {
    let words = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "nc", "-U", socket]
    let peer = Peer(try Child("setpriv", words))
    _ = try await peer.next("INFO")
    return peer
  }

  @Test func `an app in a container is identified by its own socket, and can be no other app`() async throws {
    let folder = try Folder()
    // The users of the containers can reach the sockets.
    #expect(unsafe chmod(folder.path, 0o755) == 0)
    // Two apps whose processes are root, and an app whose root is the user 4242 of this machine. On the simulated board
    // the user of the daemon may act as any app, but only at the socket that the apps share.
    let apps: [(name: String, user: Int?)] = [("left", nil), ("right", nil), ("mapped", 4242)]
    let configuration = apps.map { name, user in
      """
      [[app]]
      id = "\(name)"
      uid = \(user ?? 0)
      [[listen]]
      socket = "\(folder.path(name))/onefix.sock"
      app = "\(name)"

      """
    }.joined()
    let daemon = try await Daemon.start(in: folder, configuration: configuration)
    for (name, user) in apps {
      for other in ["left", "right", "mapped", "peer"] where other != name {
        let peer = try contained(name, in: daemon, user: user)
        _ = try await peer.next("INFO")
        #expect(try await peer.reply(to: "HELLO 1 app=\(other)").hasPrefix("-ERR 902 auth-failed "), "\(name)")
      }
      let peer = try contained(name, in: daemon, user: user)
      _ = try await peer.next("INFO")
      #expect(try await peer.reply(to: "HELLO 1 app=\(name) keepalive=0").hasPrefix("+OK proto=1 session="), "\(name)")
      #expect(try await peer.reply(to: "REQ once timeout=300") == "+OK state=awaiting-press")
      try await daemon.pressed(serving: name)
      #expect(try await peer.next("MSG fix/once").contains(#""lat":"#))
    }
    let stranger = try await connect("\(folder.path("left"))/onefix.sock", as: 4243)
    #expect(try await stranger.reply(to: "HELLO 1 app=left").hasPrefix("-ERR 902 auth-failed "))
    try await daemon.stopChecked()
  }
}
