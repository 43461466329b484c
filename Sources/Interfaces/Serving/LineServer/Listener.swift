package import LineProtocol
package import NIOCore
package import Ports

/// The network address or Unix socket of a listener, and the way in which the listener identifies its clients.
package struct Listener: Sendable {
  enum Endpoint: Sendable {
    /// A Unix socket. The values are its path and the permission to connect.
    case socket(String, SocketFile.Access)
    /// A TCP address, and the paths of the files for TLS; nil for a listener without TLS. Port 0 means any free port.
    case address(SocketAddress, TLSFiles?)
  }

  let endpoint: Endpoint
  let identification: Identification

  package static func owners(path: String) -> Listener {
    Listener(endpoint: .socket(path, .owner), identification: .owners)
  }

  package static func apps(path: String, _ rules: Reloadable<IdentityRules>) -> Listener {
    Listener(endpoint: .socket(path, .apps), identification: .kernel(rules))
  }

  /// Returns a listener on the Unix socket of a single app, which must be the only app in `rules`.
  package static func app(path: String, _ rules: Reloadable<IdentityRules>) -> Listener {
    Listener(endpoint: .socket(path, .app), identification: .kernel(rules))
  }

  /// Returns a TCP listener for apps that authenticate with keys. The address should be a loopback address, because the
  /// traffic is not encrypted.
  package static func tcp(_ address: SocketAddress) -> Listener {
    Listener(endpoint: .address(address, nil), identification: .proof())
  }

  /// Returns a TLS listener.
  /// - Parameter certificates: The fingerprints of the certificates of apps. The key is the id of an app that
  ///   authenticates with a certificate.
  package static func tls(
    _ address: SocketAddress, _ files: TLSFiles,
    certificates: Reloadable<[AppID: CertificateFingerprint]> = Reloadable([:])
  ) -> Listener {
    Listener(endpoint: .address(address, files), identification: .proof(certificates: certificates))
  }

  var transport: Transport {
    switch endpoint {
    case .socket: .unix
    case .address(_, nil): .tcp
    case .address(_, _?): .tls
    }
  }

  /// Reads the TLS certificate and the private key from their files.
  /// - Throws: `ListenError` if a file is missing or cannot be used.
  func identity(_ files: TLSFiles) throws(ListenError) -> TLSIdentity {
    do {
      return try TLSIdentity(files)
    } catch {
      let address = if case .address(let address, _) = endpoint { address.hostAndPort } else { "" }
      throw ListenError(
        address: address, .certificate, cause: error.description,
        remedy: "correct the file; onefixd check names its key")
    }
  }
}
