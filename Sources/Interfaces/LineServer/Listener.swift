package import Authorization
package import NIOCore
package import Ports

/// The address or socket of a listener, and how it identifies its clients.
package struct Listener: Sendable {
  enum Place: Sendable {
    /// A Unix socket, by its path.
    case socket(String)
    /// Port 0 is any that is free.
    case address(SocketAddress)
    case encrypted(SocketAddress, Reloadable<TLSIdentity>)
  }

  let place: Place
  let identification: Identification

  /// The owners' Unix socket.
  package static func owners(path: String) -> Listener {
    Listener(place: .socket(path), identification: .owners)
  }

  /// The apps' Unix socket.
  package static func apps(path: String, _ rules: Reloadable<IdentityRules>) -> Listener {
    Listener(place: .socket(path), identification: .kernel(rules))
  }

  /// TCP, for apps that authenticate with keys. The traffic is not encrypted, so this listener is for loopback.
  package static func tcp(_ address: SocketAddress) -> Listener {
    Listener(place: .address(address), identification: .proof())
  }

  /// TLS.
  /// - Parameter certificates: the certificate of each app that authenticates with one.
  package static func tls(
    _ address: SocketAddress, _ identity: Reloadable<TLSIdentity>,
    certificates: Reloadable<[AppID: CertificateFingerprint]> = Reloadable([:])
  ) -> Listener {
    Listener(place: .encrypted(address, identity), identification: .proof(certificates: certificates))
  }

  var transport: Transport {
    switch place {
    case .socket: .unix
    case .address: .tcp
    case .encrypted: .tls
    }
  }
}
