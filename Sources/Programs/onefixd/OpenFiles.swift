import Glibc
import Hardware
import OwnerPage
import OperatingSystem

/// How the file descriptors that this process may have are shared out.
struct OpenFiles {
  /// What the daemon needs for itself: some 23 when idle (event loops, state, sockets), the receiver's, the console's
  /// five, and a margin for what opens one for a moment: the store, identities, and the runtime, which traps where it gets
  /// none.
  static let own = 37

  /// How many apps may be connected at a time through the Unix socket: half of what there is for apps, so that no crowd
  /// from a network keeps those of this machine out; all of it where nothing listens on a network.
  let apps: Int
  /// How many apps may be at each listener on a network.
  let networkApps: Int
  /// How many owners may be, however many apps there are.
  let owners: Int

  /// A serial port takes one, and its channel two more; its lock file one for a moment.
  static let perPort = 4

  /// A broker takes two that wake its thread, its connection's and a second one for that, and some while its name is
  /// looked up and its files are read.
  static let perBroker = 8

  /// Raises the limit as far as it goes, since every client takes a descriptor; the usual soft limit of 1024 is there for
  /// integrations that use select(2).
  /// - Parameters:
  ///   - network: how many listeners there are on a network.
  ///   - ports: how many serial ports carry lines.
  ///   - brokers: how many apps are behind brokers.
  ///   - hasPage: whether browsers are served.
  /// - Throws: `HardwareError` where the limit leaves no room for clients.
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
    // A listener takes a descriptor, too.
    let own =
      Self.own + network + ports * Self.perPort + brokers * Self.perBroker
      + (hasPage ? PageServer.descriptors : 0)
    let rest = min(limit, 65_536) - own
    let least = 4 * (network + 1)
    guard rest >= least else {
      throw HardwareError(
        .unsuitable, "serve", "clients", cause: "this process may open \(limit) files only",
        remedy: "ulimit -n, or LimitNOFILE= in the unit, must be \(own + least) at least; 1024 is usual")
    }
    owners = min(64, rest / 4)
    networkApps = network == 0 ? 0 : (rest - owners) / 2 / network
    apps = rest - owners - networkApps * network
  }
}
