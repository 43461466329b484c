import Authorization
import Configuration
import Features
import Ports

/// The rules by which the listeners identify apps, from the latest configuration.
struct Admissions: Sendable {
  /// The rules of the socket of the apps that have no socket of their own.
  let rules: Reloadable<IdentityRules>
  /// The rules of the sockets of single apps, by path.
  let sockets: [String: Reloadable<IdentityRules>]
  let gpsd: Reloadable<IdentityRules>
  let certificates: Reloadable<[AppID: CertificateFingerprint]>

  init(_ values: Values) {
    rules = Reloadable(values.rules)
    sockets = values.sockets.mapValues { Reloadable($0) }
    gpsd = Reloadable(values.gpsd)
    certificates = Reloadable(values.certificates)
  }

  struct Values: Sendable {
    var rules: IdentityRules
    var sockets: [String: IdentityRules]
    var gpsd: IdentityRules
    var certificates: [AppID: CertificateFingerprint]
    var apps: Set<AppID>

    init(_ configuration: GatewayConfiguration, anyAppUID: UInt32?) {
      let holders = configuration.identityRules
      let own = Set(configuration.sockets.map(\.app))
      rules = IdentityRules(apps: holders.filter { !own.contains($0.app) }, anyAppUID: anyAppUID)
      sockets = Dictionary(
        uniqueKeysWithValues: configuration.sockets.map { settings in
          (settings.path, IdentityRules(apps: holders.filter { $0.app == settings.app }))
        })
      let users = configuration.gpsdServer?.apps ?? [:]
      gpsd = IdentityRules(apps: users.map { IdentityRule(app: $0.value, holder: .uid($0.key)) })
      certificates = Dictionary(
        uniqueKeysWithValues: configuration.apps.compactMap { app in app.certificate.map { (app.id, $0) } })
      apps = Set(configuration.apps.map(\.id))
    }

    /// Returns the rules of the listeners that are open. The daemon opens a new listener at its next start, and until
    /// then no client can have connected there.
    func atOpenListeners(of admissions: Admissions) -> Values {
      var values = self
      values.sockets = sockets.filter { admissions.sockets[$0.key] != nil }
      return values
    }

    /// Returns whether a client may continue to act as its app. For a client with a key, the function checks only
    /// whether the app is configured, because the keyring checks the key.
    func admits(_ identity: Identity, _ peer: Peer, over transport: Transport) -> Bool {
      switch identity.proof {
      case .key, .token: return apps.contains(identity.app)
      case .certificate(let shown): return certificates[identity.app] == shown
      case .transport:
        switch transport {
        case .unix:
          return ([rules] + sockets.values).contains { (try? $0.identify(identity.app.name, peer).get()) != nil }
        case .gpsd: return (try? gpsd.identify(identity.app.name, peer).get()) != nil
        case .nmea: return false
        case .serial, .mqtt, .tcp, .tls: return apps.contains(identity.app)
        }
      }
    }
  }

  func replace(_ values: Values) {
    rules.value = values.rules
    for (path, rules) in sockets { rules.value = values.sockets[path] ?? IdentityRules(apps: []) }
    gpsd.value = values.gpsd
    certificates.value = values.certificates
  }
}
