import Glibc
import Hardware
import OwnerPage
import OperatingSystem

/// Divides the file descriptors of this process among its parts.
struct OpenFiles {
  /// The number of descriptors of the daemon itself. The idle daemon uses about 23. The receiver needs a few, and the
  /// console needs five. The rest is a margin for short uses, for example by the Swift runtime, which ends the process
  /// if it gets no descriptor.
  static let own = 37

  /// The maximum number of connections of apps on the Unix socket. It is half of all connections of apps if network
  /// listeners exist, so that network clients cannot displace local clients.
  let apps: Int
  let networkApps: Int
  /// The maximum number of connections of owners. Apps cannot use these connections.
  let owners: Int

  /// The number of descriptors for a serial port: one for the port, two for its channel, and one for its lock file for
  /// a short time.
  static let perPort = 4

  /// The number of descriptors for a broker: two to wake the client's thread, two for the connection, and the rest for
  /// a short time for name lookups and settings files.
  static let perBroker = 8

  /// Raises the limit of open files to its maximum, because every client needs a descriptor. The usual soft limit of
  /// 1024 exists for programs that use select(2).
  /// - Throws: `HardwareError` if the limit leaves no descriptors for clients.
  init(network: Int, ports: Int, brokers: Int, hasPage: Bool, others: Int = 0) throws(HardwareError) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0 else {
      throw HardwareError(
        .failed, "read", "the limit of open files", cause: systemErrorText(errno))
    }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(resource, &limit)
    try self.init(
      limit: Int(clamping: limit.rlim_cur), network: network, ports: ports, brokers: brokers, hasPage: hasPage,
      others: others)
  }

  init(limit: Int, network: Int, ports: Int, brokers: Int, hasPage: Bool = false, others: Int = 0) throws(HardwareError)
  {
    // Each network listener needs one descriptor for the socket that accepts connections.
    let own =
      Self.own + network + ports * Self.perPort + brokers * Self.perBroker
      + (hasPage ? PageServer.descriptors : 0) + others
    let rest = min(limit, 65_536) - own
    let least = 4 * (network + 1)
    guard rest >= least else {
      throw HardwareError(
        .unsuitable, "serve", "clients", cause: "this process can open only \(limit) files",
        remedy: "ulimit -n, or LimitNOFILE= in the unit, must be at least \(own + least); 1024 is usual")
    }
    owners = min(64, rest / 4)
    networkApps = network == 0 ? 0 : (rest - owners) / 2 / network
    apps = rest - owners - networkApps * network
  }
}
