import Configuration
import LineProtocol
import NIOCore
import OperatingSystem
import Ports
import Serving

extension ListenFeature: Feature {
  var sharedListeners: Int { listeners.count + sockets.count }

  func running(in daemon: DaemonContext) -> RunningFeature? {
    let rules = Self.rules(daemon.configuration).mapValues { Reloadable($0) }
    let certificates = Reloadable(daemon.configuration.certificates)
    let unix = sockets.compactMap { socket in
      rules[socket.path].map { rules in
        Self.plan("unix:\(socket.path)", daemon) { Listener.app(path: socket.path, rules) }
      }
    }
    let network = listeners.map { listener in
      let transport = listener.tls == nil ? Transport.tcp : .tls
      return Self.plan("\(transport.rawValue):\(listener.endpoint)", daemon) {
        let address = try SocketAddress(ipAddress: listener.host, port: listener.port)
        guard let tls = listener.tls else { return .tcp(address) }
        return .tls(address, TLSFiles(tls), certificates: certificates)
      }
    }
    return RunningFeature(
      listeners: unix + network,
      admits: { identity, peer, transport in
        if case .certificate(let shown) = identity.proof { return certificates.value[identity.app] == shown }
        return transport == .unix && rules.values.contains { $0.value.admits(identity, peer) }
      },
      change: { configuration in
        let new = Self.rules(configuration)
        for (path, rules) in rules { rules.value = new[path] ?? IdentityRules(apps: []) }
        certificates.value = configuration.certificates
      })
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

  /// Returns the rules that identify an app by its Unix user or systemd unit. The key is the path of the Unix socket
  /// that only this app may use.
  private static func rules(_ configuration: GatewayConfiguration) -> [String: IdentityRules] {
    let sockets = configuration.feature(ListenFeature.self)?.sockets ?? []
    return Dictionary(uniqueKeysWithValues: sockets.map { ($0.path, configuration.identityRules(of: $0.app)) })
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
