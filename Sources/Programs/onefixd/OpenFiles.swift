import Features
import Glibc
import Hardware
import OperatingSystem

/// The maximum counts of client connections, computed from the limit of open files of this process.
struct OpenFiles {
  /// The count of file descriptors that the daemon keeps for itself. The idle daemon uses about 23, the GNSS receiver a
  /// few, and the console five. The rest is a margin: without a free descriptor, the Swift runtime could end the
  /// process.
  static let own = 37

  /// The maximum count of connections on the Unix socket for apps. All other listeners for apps together get at most
  /// the same count, so that their clients cannot use up the connections of this socket.
  let apps: Int
  /// The maximum count of connections of each listener other than the two Unix sockets for apps and owners.
  let listener: Int
  /// The maximum count of connections of owners (administrators). Apps cannot use these connections.
  let owners: Int

  /// Raises the limit of open files of this process to its maximum, and computes the counts of connections. The usual
  /// soft limit of 1024 exists only for programs that call select(2).
  /// - Throws: `HardwareError` if the limit leaves no file descriptors for clients.
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
  ///   - limit: The maximum count of open files of this process.
  ///   - listeners: The count of listeners whose clients share the file descriptors.
  ///   - features: The count of file descriptors that the features need for themselves.
  /// - Throws: `HardwareError` if the limit leaves no file descriptors for clients.
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
