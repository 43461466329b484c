package import Authorization
package import Ports

/// How a listener identifies its clients.
package enum Identification: Sendable {
  /// Only owners can open its socket.
  case owners
  /// The kernel reports the client's user and unit.
  case kernel(Reloadable<IdentityRules>)
  /// Clients authenticate: with a key, over TLS also with a token, or with the certificate that is configured for an app.
  case proof(certificates: Reloadable<[AppID: CertificateFingerprint]> = Reloadable([:]))
  /// The client is the app that is configured for the port.
  case port(AppID)

  var role: ClientRole {
    switch self {
    case .owners: .owner
    case .kernel, .proof, .port: .app
    }
  }
}
