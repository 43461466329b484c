package import Authorization
package import NIOCore

/// Where clients come, and how they are known there.
package struct Listener: Sendable {
  enum Place: Sendable {
    /// A Unix socket, by its path.
    case socket(String)
    /// Port 0 is any that is free.
    case address(SocketAddress)
    case encrypted(SocketAddress, Live<TLSIdentity>)
  }

  let place: Place
  let identification: Identification

  /// The owners' Unix socket.
  package static func owners(path: String) -> Listener {
    Listener(place: .socket(path), identification: .owners)
  }

  /// The apps' Unix socket.
  package static func apps(path: String, _ rules: Live<IdentityRules>) -> Listener {
    Listener(place: .socket(path), identification: .kernel(rules))
  }

  /// TCP, where apps prove themselves by their keys. What they are told can be read on the way: it is for loopback.
  package static func tcp(_ address: SocketAddress) -> Listener {
    Listener(place: .address(address), identification: .proof())
  }

  /// TLS.
  /// - Parameter certificates: which certificate proves to be an app.
  package static func tls(
    _ address: SocketAddress, _ identity: Live<TLSIdentity>,
    certificates: Live<[AppID: TLSIdentity.Fingerprint]> = Live([:])
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
