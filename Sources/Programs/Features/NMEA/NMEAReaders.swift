import Configuration
import LineProtocol
import Ports

extension NMEAFeature: Feature {
  var objects: [MachineObject] { readers.map { .endpoint($0.endpoint) } }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    readers.flatMap { reader in
      machine.listenFindings(
        reader.endpoint, role: "nmea", at: reader.location,
        remedy: "stop it, or choose another 'address' or 'socket' in [[nmea]]")
    }
  }

  var sharedListeners: Int { readers.count }

  func running(in daemon: DaemonContext) -> RunningFeature? {
    let rules = Self.rules(daemon.configuration).mapValues { Reloadable($0) }
    let listeners = readers.compactMap { reader -> ListenerPlan? in
      guard let rules = rules[reader.endpoint] else { return nil }
      return ListenerPlan(name: "nmea:\(reader.endpoint)") {
        let dialect = GPSDServer.Dialect(
          transport: .nmea, hasCommands: false, table: "[[nmea]]", appKey: "app",
          remedy: "choose another 'address' or 'socket' in [[nmea]]"
        ) { GPSDEmulator(sentences: reader.sentences, isApp: $0) }
        return [try await GPSDServer(dialect, on: reader.endpoint, rules, in: daemon)]
      }
    }
    return RunningFeature(
      listeners: listeners,
      admits: { identity, peer, transport in
        transport == .nmea && rules.values.contains { $0.value.admits(identity, peer) }
      },
      change: { configuration in
        let new = Self.rules(configuration)
        for (endpoint, rules) in rules { rules.value = new[endpoint] ?? IdentityRules(apps: []) }
      })
  }

  /// Returns the rules that identify an app by its Unix user or systemd unit. The key is the address of the listener.
  /// Listeners with the port 0 (any free port) share one entry.
  private static func rules(_ configuration: GatewayConfiguration) -> [ListenEndpoint: IdentityRules] {
    let readers = configuration.feature(NMEAFeature.self)?.readers ?? []
    return Dictionary(readers.map { ($0.endpoint, configuration.identityRules(of: $0.app)) }) {
      IdentityRules(apps: $0.apps + $1.apps)
    }
  }
}
