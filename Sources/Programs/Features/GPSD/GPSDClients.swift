import Configuration
import GPSDProtocol
import LineProtocol
import OperatingSystem
import Ports
import Serving

extension GPSDFeature: Feature {
  var sharedListeners: Int { hosts.count }

  func running(in daemon: DaemonContext) -> (any RunningFeature)? { GPSDClients(self, daemon) }

  /// The rules that identify the app of a client by the Unix user of its process.
  fileprivate var rules: IdentityRules {
    IdentityRules(apps: apps.map { IdentityRule(app: $0.value, holder: .uid($0.key)) })
  }
}

/// Runs the listener for gpsd clients in the daemon.
struct GPSDClients: RunningFeature {
  /// The identity rules (the app of each Unix user) of the latest configuration.
  private let rules: Reloadable<IdentityRules>
  let listeners: [ListenerPlan]

  init(_ settings: GPSDFeature, _ daemon: DaemonContext) {
    let rules = Reloadable(settings.rules)
    self.rules = rules
    let dialect = GPSDServer.Dialect(
      transport: .gpsd, hasCommands: true, table: "[gpsd_server]", appKey: "apps",
      remedy: "is gpsd running? sudo systemctl disable --now gpsd.socket gpsd.service, or choose another 'port' in "
        + "[gpsd_server]"
    ) { GPSDEmulator(gateway: Release.version, isApp: $0) }
    listeners = [
      ListenerPlan(name: "gpsd:\(ListenerPlan.address(settings.hosts, settings.port))") {
        try await openServers(on: settings.hosts, port: settings.port) { host, port in
          try await GPSDServer(
            dialect, on: .address(host: host, port: port), rules, for: daemon.gateway, limit: daemon.clientLimit,
            group: daemon.group,
            logger: daemon.logger(.server))
        }
      }
    ]
  }

  func admits(_ identity: Identity, _ peer: Peer, over transport: Transport) -> Bool {
    transport == .gpsd && rules.value.admits(identity, peer)
  }

  func change(to configuration: GatewayConfiguration) {
    rules.value = configuration.feature(GPSDFeature.self)?.rules ?? IdentityRules(apps: [])
  }
}
