import Authorization
import Configuration
import NIOCore
import OperatingSystem
import Ports
import Serving

extension ListenFeature: Feature {
  var sharedListeners: Int { listeners.count + sockets.count }

  func running(in daemon: DaemonContext) -> (any RunningFeature)? { Listeners(self, daemon) }
}

/// Runs the network listeners, and the Unix sockets of single apps, in the daemon.
struct Listeners: RunningFeature {
  /// The identity rules (the Unix user or systemd unit of an app) of each Unix socket for one app, from the latest
  /// configuration. The key is the path of the socket.
  private let rules: [String: Reloadable<IdentityRules>]
  /// The fingerprint of the client certificate of each app, from the latest configuration.
  private let certificates: Reloadable<[AppID: CertificateFingerprint]>
  let listeners: [ListenerPlan]

  init(_ settings: ListenFeature, _ daemon: DaemonContext) {
    let rules = Self.rules(daemon.configuration).mapValues { Reloadable($0) }
    let certificates = Reloadable(daemon.configuration.certificates)
    (self.rules, self.certificates) = (rules, certificates)
    let sockets = settings.sockets.compactMap { socket in
      rules[socket.path].map { rules in
        Self.plan("unix:\(socket.path)", daemon) { Listener.app(path: socket.path, rules) }
      }
    }
    listeners =
      sockets
      + settings.listeners.map { listener in
        let transport = listener.tls == nil ? Transport.tcp : .tls
        return Self.plan("\(transport.rawValue):\(listener.endpoint)", daemon) {
          let address = try SocketAddress(ipAddress: listener.host, port: listener.port)
          guard let tls = listener.tls else { return .tcp(address) }
          return .tls(address, TLSFiles(tls), certificates: certificates)
        }
      }
  }

  private static func plan(
    _ name: String, _ daemon: DaemonContext, _ listener: @escaping @Sendable () throws -> Listener
  ) -> ListenerPlan {
    ListenerPlan(name: name) {
      [
        try await LineServer(
          try listener(), for: daemon.gateway, limit: daemon.clientLimit, admission: daemon.admission,
          group: daemon.group, logger: daemon.logger(.server))
      ]
    }
  }

  private static func rules(_ configuration: GatewayConfiguration) -> [String: IdentityRules] {
    let sockets = configuration.feature(ListenFeature.self)?.sockets ?? []
    return Dictionary(uniqueKeysWithValues: sockets.map { ($0.path, configuration.identityRules(of: $0.app)) })
  }

  func admits(_ identity: Identity, _ peer: Peer, over transport: Transport) -> Bool {
    if case .certificate(let shown) = identity.proof { return certificates.value[identity.app] == shown }
    return transport == .unix && rules.values.contains { $0.value.admits(identity, peer) }
  }

  func change(to configuration: GatewayConfiguration) {
    let new = Self.rules(configuration)
    for (path, rules) in rules { rules.value = new[path] ?? IdentityRules(apps: []) }
    certificates.value = configuration.certificates
  }
}

extension GatewayConfiguration {
  fileprivate var certificates: [AppID: CertificateFingerprint] {
    Dictionary(uniqueKeysWithValues: apps.compactMap { app in app.certificate.map { (app.id, $0) } })
  }
}

extension TLSFiles {
  init(_ settings: NetworkListener.TLS) {
    self.init(certificate: settings.certificate, privateKey: settings.privateKey, clientCA: settings.clientCA)
  }
}
