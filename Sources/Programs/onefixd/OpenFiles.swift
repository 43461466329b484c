import Glibc
import Hardware
import OwnerPage
import OperatingSystem

/// The allocation of file descriptors in this process.
struct OpenFiles {
  /// The descriptors of the daemon itself: about 23 when idle (event loops, state, sockets), the receiver's, the
  /// console's five, and a margin for temporary ones of the store, the identities and the runtime. The runtime traps if
  /// it gets none.
  static let own = 37

  /// The maximum number of apps on the Unix socket: half of all apps if there are network listeners, so that network
  /// clients cannot displace local ones; otherwise all.
  let apps: Int
  /// The maximum number of apps on each network listener.
  let networkApps: Int
  /// The maximum number of owners, independent of the number of apps.
  let owners: Int

  /// The descriptors of a serial port: one for the port, two for its channel, and one temporarily for its lock file.
  static let perPort = 4

  /// The descriptors of a broker: two that wake its thread, two for its connection, and some temporarily for the lookup
  /// of its name and for its files.
  static let perBroker = 8

  /// Raises the limit to its maximum, because every client needs a descriptor. The usual soft limit of 1024 exists for
  /// programs that use select(2).
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
    // Each listener needs a descriptor.
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
