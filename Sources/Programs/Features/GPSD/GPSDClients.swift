import Configuration
import LineProtocol
import Ports
import Serving

extension GPSDFeature: Feature {
  var sharedListeners: Int { hosts.count }

  func running(in daemon: DaemonContext) -> RunningFeature? {
    let rules = Reloadable(rules)
    let dialect = GPSDServer.Dialect(
      transport: .gpsd, hasCommands: true, table: "[gpsd_server]", appKey: "apps",
      remedy: "is gpsd running? If it is not the receiver: sudo systemctl disable --now gpsd.socket gpsd.service; "
        + "otherwise choose another 'port' or 'address' in [gpsd_server]"
    ) { GPSDEmulator(gateway: Release.version, isApp: $0) }
    let listener = ListenerPlan(name: "gpsd:\(ListenerPlan.address(hosts, port))") { [hosts, port] in
      try await openServers(on: hosts, port: port) { host, port in
        try await GPSDServer(dialect, on: .address(host: host, port: port), rules, in: daemon)
      }
    }
    return RunningFeature(
      listeners: [listener], admits: { $2 == .gpsd && rules.value.admits($0, $1) },
      change: { rules.value = $0.feature(GPSDFeature.self)?.rules ?? IdentityRules(apps: []) })
  }

  /// The rules that identify a client's app by the Unix user of the client's process.
  fileprivate var rules: IdentityRules {
    IdentityRules(apps: apps.map { IdentityRule(app: $0.value, holder: .uid($0.key)) })
  }
}
