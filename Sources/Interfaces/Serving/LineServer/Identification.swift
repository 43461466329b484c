package import Authorization
package import Ports

/// The way in which a listener identifies its clients.
package enum Identification: Sendable {
  /// Every client is an owner, because only owners may open the socket.
  case owners
  /// The kernel reports the user and the systemd unit of the client's process. The rules define which app ids such a
  /// process may use.
  case kernel(Reloadable<IdentityRules>)
  /// Clients authenticate with a key, and over TLS also with a token or with the configured certificate of their app.
  case proof(certificates: Reloadable<[AppID: CertificateFingerprint]> = Reloadable([:]))
  /// The client is the app that the configuration names for the serial port.
  case port(AppID)

  /// Returns the apps whose clients can authenticate at the listener.
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
