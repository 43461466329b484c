import Features
import Glibc
import Hardware
import OperatingSystem

/// Divides the file descriptors of this process among its listeners.
struct OpenFiles {
  /// The number of descriptors for the daemon itself. The idle daemon uses about 23. The receiver needs a few, and the
  /// console needs five. The rest is a margin, for example for the Swift runtime, which ends the process if it gets no
  /// descriptor.
  static let own = 37

  /// The maximum number of connections of apps on the Unix socket. It is half of all connections of apps if the
  /// features have listeners, so that their clients cannot displace the clients of this socket.
  let apps: Int
  /// The maximum number of connections of each listener.
  let listener: Int
  /// The maximum number of connections of owners. Apps cannot use these connections.
  let owners: Int

  /// Raises the limit of open files to its maximum, because every client needs a descriptor. The usual soft limit of
  /// 1024 exists for programs that use select(2).
  /// - Throws: `HardwareError` if the limit leaves no descriptors for clients.
  init(_ features: [any Feature]) throws(HardwareError) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0 else {
      throw HardwareError(
        .failed, "read", "the limit of open files", cause: systemErrorText(errno))
    }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(resource, &limit)
    try self.init(
      limit: Int(clamping: limit.rlim_cur), listeners: features.map(\.sharedListeners).reduce(0, +),
      features: features.map(\.openFiles).reduce(0, +))
  }

  /// - Parameters:
  ///   - listeners: The number of listeners that share the descriptors for clients.
  ///   - features: The number of descriptors that the features need themselves.
  init(limit: Int, listeners: Int, features: Int) throws(HardwareError) {
    // Each listener needs one descriptor for the socket that accepts connections.
    let own = Self.own + listeners + features
    let rest = min(limit, 65_536) - own
    let least = 4 * (listeners + 1)
    guard rest >= least else {
      throw HardwareError(
        .unsuitable, "serve", "clients", cause: "this process can open only \(limit) files",
        remedy: "ulimit -n, or LimitNOFILE= in the unit, must be at least \(own + least); 1024 is usual")
    }
    owners = min(64, rest / 4)
    listener = listeners == 0 ? 0 : (rest - owners) / 2 / listeners
    apps = rest - owners - listener * listeners
  }
}
