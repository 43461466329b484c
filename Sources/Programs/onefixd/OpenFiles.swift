import Glibc
import Hardware
import OwnerPage
import OperatingSystem

/// Divides the file descriptors of this process among its parts.
struct OpenFiles {
  /// The number of descriptors that the daemon itself needs. About 23 descriptors are in use when the daemon is idle
  /// (event loops, state and sockets). The receiver needs some additional descriptors, and the console needs five. All
  /// other descriptors are a margin. The store, the identification of clients and the Swift runtime take descriptors
  /// from the margin for a short time. If the Swift runtime gets no descriptor, the process ends immediately.
  static let own = 37

  /// The maximum number of connections of apps on the Unix socket. If network listeners exist, the Unix socket gets
  /// half of all connections of apps. For this reason, clients on the network cannot displace local clients.
  let apps: Int
  /// The maximum number of connections of apps on each network listener.
  let networkApps: Int
  /// The maximum number of connections of owners. Apps cannot use these connections.
  let owners: Int

  /// The number of descriptors for a serial port. The port needs one descriptor, and the channel of the port needs two
  /// descriptors. The lock file of the port needs one descriptor for a short time.
  static let perPort = 4

  /// The number of descriptors for a broker. Two descriptors wake the thread of the broker's client, and two are for
  /// the connection to the broker. The remaining descriptors are needed for a short time to look up the broker's name
  /// and to read the files of its settings.
  static let perBroker = 8

  /// Raises the limit of open files to its maximum, because every client needs a descriptor. The usual soft limit of
  /// 1024 exists for programs that use select(2).
  /// - Parameters:
  ///   - network: the number of network listeners.
  ///   - ports: the number of serial ports for apps.
  ///   - brokers: the number of brokers.
  ///   - hasPage: whether the owners' page is configured.
  /// - Throws: `HardwareError` if the limit leaves no descriptors for clients.
  init(network: Int, ports: Int, brokers: Int, hasPage: Bool) throws(HardwareError) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0 else {
      throw HardwareError(
        .failed, "read", "the limit of open files", cause: systemErrorText(errno))
    }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(resource, &limit)
    try self.init(
      limit: Int(clamping: limit.rlim_cur), network: network, ports: ports, brokers: brokers, hasPage: hasPage)
  }

  init(limit: Int, network: Int, ports: Int, brokers: Int, hasPage: Bool = false) throws(HardwareError) {
    // Each network listener needs one descriptor for the socket that accepts connections.
    let own =
      Self.own + network + ports * Self.perPort + brokers * Self.perBroker
      + (hasPage ? PageServer.descriptors : 0)
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
