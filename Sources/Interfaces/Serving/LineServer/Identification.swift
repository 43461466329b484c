package import LineProtocol
package import Ports

/// The way in which a listener identifies the app or the owner of its clients.
package enum Identification: Sendable {
  /// Every client is an owner (administrator), because only owners may open the socket.
  case owners
  /// The kernel reports the user and the systemd unit of the client's process. The rules say which app ids such a
  /// process may use.
  case kernel(Reloadable<IdentityRules>)
  /// The client authenticates with a key, or over TLS also with a token or with the configured certificate of its app.
  case proof(certificates: Reloadable<[AppID: CertificateFingerprint]> = Reloadable([:]))
  /// Every client is this app, which the configuration assigns to the serial port.
  case port(AppID)

  /// Returns the apps that can authenticate at the listener.
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
