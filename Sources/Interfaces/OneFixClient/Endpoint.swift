import Crypto
import FoundationEssentials
import Handshake

extension OneFixClient {
  /// The address of a gateway, with the credential of the app.
  public enum Endpoint: Hashable, Sendable {
    /// A Unix socket, by its path of at most 107 bytes. The kernel identifies the app to the gateway.
    case unix(String)
    /// TCP. Gateways offer it on loopback only, so that other machines cannot read the connection. The app and the
    /// gateway prove to each other that they have the key. The key is never sent.
    case tcp(host: String, port: Int, key: Key)
    /// TLS 1.2 or newer. The client verifies the gateway's certificate and its name or address.
    case tls(host: String, port: Int, TLSProof, trust: TrustRoots = .system)
    /// A serial port to the gateway: a UART or a USB gadget. The gateway's owner configures the app for that port. The
    /// client has exclusive access to the port while it is open. Format: 8 data bits, no parity, 1 stop bit, no flow
    /// control. Lines have checksums by default (``OneFixClient/Options/crc``).
    case serial(String, baudRate: Int = 115_200)

    /// The apps' socket of this machine: `$ONEFIX_SOCKET` if it is set, otherwise `/run/onefix/onefix.sock`.
    public static var standard: Endpoint { .unix(standardPath) }

    /// The path of the standard endpoint.
    package static var standardPath: String {
      ProcessInfo.processInfo.environment["ONEFIX_SOCKET"] ?? "/run/onefix/onefix.sock"
    }

    /// The owners' socket: `owner.sock` in the directory of the apps' socket. Owners connect through this socket only.
    package var owners: Endpoint {
      switch self {
      case .unix(let path): .unix(Self.ownerPath(beside: path))
      case .tcp, .tls, .serial: .unix("/run/onefix/owner.sock")
      }
    }

    var isSerial: Bool { if case .serial = self { true } else { false } }

    /// Returns the path of the owners' socket, in the directory of the apps' socket.
    package static func ownerPath(beside path: String) -> String {
      (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "owner.sock"
    }
  }

  /// The credential of an app over TLS.
  public enum TLSProof: Hashable, Sendable {
    /// The app's key, bound to the gateway's certificate. The key is never sent, and the gateway proves that it has the
    /// key, too.
    case key(Key)
    /// A secret that the client sends. The server with the gateway's certificate receives the secret, so a key is more
    /// secure.
    case token(Token)
    /// A certificate that is in the gateway's configuration.
    case certificate(ClientCertificate)
  }

  /// The certificates that the client trusts for the gateway.
  public enum TrustRoots: Hashable, Sendable {
    /// The certificate authorities of this machine.
    case system
    /// Only these certificates, as PEM text: the gateway's own certificate if it is self-signed, or the certificate of
    /// its authority.
    case pem(String)
  }

  /// An app's certificate with its private key, both as PEM text.
  public struct ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The app's certificate, followed by its intermediate certificates.
    public var chain: String
    let privateKey: String

    /// Creates a certificate from PEM text.
    /// - Parameters:
    ///   - chain: PEM text: the app's certificate, followed by its intermediate certificates.
    ///   - privateKey: PEM text, not encrypted.
    public init(chain: String, privateKey: String) {
      self.chain = chain
      self.privateKey = privateKey
    }

    /// A description without the private key.
    public var description: String { "a client certificate" }
    /// A description without the private key.
    public var debugDescription: String { description }
  }

  /// The key of 32 bytes that an app shares with the gateway, from `KEY ADD`. Its description does not contain the key.
  public struct Key: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The length of a key in bytes.
    public static let length = 32

    let secret: SymmetricKey

    /// Creates a key.
    /// - Parameter base64url: the 43 characters that the gateway's owner received.
    /// - Returns: nil unless the text is 32 bytes in base64url (RFC 4648 §5).
    public init?(base64url: String) {
      guard let bytes = Base64URL.bytes(of: base64url), bytes.count == Self.length else { return nil }
      secret = SymmetricKey(data: bytes)
    }

    /// A description without the key.
    public var description: String { "a key" }
    /// A description without the key.
    public var debugDescription: String { description }

    /// Whether two keys are equal. The comparison takes constant time.
    public static func == (left: Key, right: Key) -> Bool { left.secret == right.secret }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) {
      // The pointer is used within the call only.
      unsafe secret.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
    }
  }

  /// A secret that the client sends unchanged. Its description does not contain the secret.
  public struct Token: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let text: String

    /// Creates a token.
    /// - Parameter text: the token from the gateway's owner: printable ASCII without spaces.
    /// - Returns: nil if the text is empty or contains other characters.
    public init?(_ text: String) {
      guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
      self.text = text
    }

    /// A description without the token.
    public var description: String { "a token" }
    /// A description without the token.
    public var debugDescription: String { description }
  }
}

extension OneFixClient.Endpoint: CustomStringConvertible {
  /// The address of the endpoint for users, without secrets.
  public var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let host, let port, _): "\(host):\(port)"
    case .tls(let host, let port, _, _): "\(host):\(port) (TLS)"
    case .serial(let path, let baudRate): "\(path) (\(baudRate) baud)"
    }
  }
}
