import CPeerShim
import Glibc
import NIOCore

extension Peer {
  /// Asks the kernel who connected. The unit is read while the process is known to be the one that connected.
  static func ofUnixSocket(_ channel: any Channel) async throws -> Peer {
    guard let provider = channel as? any SocketOptionProvider else { throw ChannelError.operationUnsupported }
    let credentials: onefix_peer_credentials = try await provider.unsafeGetSocketOption(
      level: .socket, name: .init(rawValue: CInt(ONEFIX_SO_PEERCRED))
    ).get()
    // Before Linux 6.5 there is no SO_PEERPIDFD: the number is turned into a pidfd, at once.
    let asked: CInt? = try? await provider.unsafeGetSocketOption(
      level: .socket, name: .init(rawValue: CInt(ONEFIX_SO_PEERPIDFD))
    ).get()
    let pidfd = asked ?? onefix_pidfd_open(credentials.pid)
    guard pidfd >= 0 else { return .process(uid: credentials.uid) }
    defer { close(pidfd) }
    let unit = systemUnit(ofProcess: credentials.pid)
    return .process(uid: credentials.uid, unit: onefix_pidfd_is_alive(pidfd) != 0 ? unit : nil)
  }

  /// The unit in a cgroup path of systemd, as in `0::/system.slice/kiosk.service`. Only units of the system manager
  /// count: what a user's own manager calls a unit, the user chose.
  package static func systemUnit(inCgroups text: String) -> String? {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == "0", parts[1].isEmpty else { continue }
      let path = parts[2].split(separator: "/")
      guard path.first == "system.slice" else { return nil }
      return path.first { $0.hasSuffix(".service") }.map(String.init)
    }
    return nil
  }

  private static func systemUnit(ofProcess pid: Int32) -> String? {
    let descriptor = unsafe open("/proc/\(pid)/cgroup", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return systemUnit(inCgroups: String(decoding: bytes[..<count], as: UTF8.self))
  }
}
