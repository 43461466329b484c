import Configuration
import GPSDProtocol
import OperatingSystem
import Ports
import Serving

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

  func running(in daemon: DaemonContext) -> (any RunningFeature)? { NMEAReaders(readers, daemon) }
}

/// Runs the listeners for programs that read NMEA sentences in the daemon.
struct NMEAReaders: RunningFeature {
  /// The identity rules (the Unix user or systemd unit of an app) of each listener, from the latest configuration.
  private let rules: [ListenEndpoint: Reloadable<IdentityRules>]
  let listeners: [ListenerPlan]

  init(_ readers: [NMEAFeature.Reader], _ daemon: DaemonContext) {
    let rules = Self.rules(daemon.configuration).mapValues { Reloadable($0) }
    self.rules = rules
    listeners = readers.compactMap { reader in
      guard let rules = rules[reader.endpoint] else { return nil }
      return ListenerPlan(name: "nmea:\(reader.endpoint)") {
        let dialect = GPSDServer.Dialect(
          transport: .nmea, hasCommands: false, table: "[[nmea]]", appKey: "app",
          remedy: "choose another 'address' or 'socket' in [[nmea]]"
        ) { GPSDEmulator(sentences: reader.sentences, isApp: $0) }
        return [
          try await GPSDServer(
            dialect, on: reader.endpoint, rules, for: daemon.gateway, limit: daemon.clientLimit, group: daemon.group,
            logger: daemon.logger(.server))
        ]
      }
    }
  }

  /// Returns the identity rules (the Unix user or systemd unit of an app) of each listener. All listeners with the port
  /// 0 (any free port) share one entry.
  private static func rules(_ configuration: GatewayConfiguration) -> [ListenEndpoint: IdentityRules] {
    let readers = configuration.feature(NMEAFeature.self)?.readers ?? []
    return Dictionary(readers.map { ($0.endpoint, configuration.identityRules(of: $0.app)) }) {
      IdentityRules(apps: $0.apps + $1.apps)
    }
  }

  func admits(_ identity: Identity, _ peer: Peer, over transport: Transport) -> Bool {
    transport == .nmea && rules.values.contains { $0.value.admits(identity, peer) }
  }

  func change(to configuration: GatewayConfiguration) {
    let new = Self.rules(configuration)
    for (endpoint, rules) in rules { rules.value = new[endpoint] ?? IdentityRules(apps: []) }
  }
}
