package import LineProtocol
package import Ports

/// The method by which a listener identifies its clients: as an app, or as an owner (administrator).
package enum Identification: Sendable {
  /// Every client is an owner (administrator), because only owners may open the socket.
  case owners
  /// The kernel reports the user and the systemd unit of the client's process. The configured rules assign app ids to
  /// users and units.
  case kernel(Reloadable<IdentityRules>)
  /// The client authenticates with a key, or over TLS also with a token or with the configured certificate of its app.
  case proof(certificates: Reloadable<[AppID: CertificateFingerprint]> = Reloadable([:]))
  /// Every client is the given app, which the configuration assigns to the serial port.
  case port(AppID)

  /// Returns the ids of the apps whose clients can authenticate by this method.
  func apps(_ keyring: Keyring) -> Set<AppID> {
    switch self {
    case .owners: []
    case .kernel(let rules): rules.value.ids
    case .proof(let certificates): keyring.apps.union(certificates.value.keys)
    case .port(let app): [app]
    }
  }

  var role: ClientRole {
    switch self {
    case .owners: .owner
    case .kernel, .proof, .port: .app
    }
  }
}
