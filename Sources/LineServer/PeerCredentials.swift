import CPeerShim
import Glibc
import NIOCore

extension Peer {
  /// Asks the kernel who connected to a Unix socket. The unit is read while the process is known to be the one that
  /// connected.
  /// - Throws: `IOError`
  init(ofUnixSocket socket: CInt) throws {
    var credentials = onefix_peer_credentials()
    try Self.ask(socket, CInt(ONEFIX_SO_PEERCRED), &credentials)
    // Before Linux 6.5 there is no SO_PEERPIDFD: the number is turned into a pidfd, at once.
    var asked: CInt = -1
    try? Self.ask(socket, CInt(ONEFIX_SO_PEERPIDFD), &asked)
    let pidfd = asked >= 0 ? asked : onefix_pidfd_open(credentials.pid)
    guard pidfd >= 0 else {
      self = .process(uid: credentials.uid)
      return
    }
    defer { close(pidfd) }
    let unit = Self.systemUnit(ofProcess: credentials.pid)
    self = .process(uid: credentials.uid, unit: onefix_pidfd_is_alive(pidfd) != 0 ? unit : nil)
  }

  /// Reads an option of a socket into a value that has the option's layout.
  private static func ask<Value: BitwiseCopyable>(_ socket: CInt, _ option: CInt, _ value: inout Value) throws {
    var size = socklen_t(MemoryLayout<Value>.size)
    // The kernel writes no more than the size that it is given.
    guard unsafe getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 else {
      throw IOError(errnoCode: errno, reason: "getsockopt")
    }
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
