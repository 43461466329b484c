import Base
import OperatingSystem

extension OneFixClient {
  /// The address of a gateway, with the credential of the app.
  public enum Endpoint: Hashable, Sendable {
    /// A Unix socket with a path of at most 103 bytes. The gateway identifies the app by the user or the systemd unit
    /// of this process, which the kernel reports.
    case unix(String)
    /// A TCP connection without encryption. Use only a loopback address, so that other machines cannot read the data.
    /// The key is never sent: the app and the gateway prove to each other that both have the key.
    case tcp(host: String, port: Int, key: Key)
    /// A connection with TLS 1.2 or newer. The client verifies the gateway's certificate and host name.
    case tls(host: String, port: Int, TLSProof, trust: TrustRoots = .system)
    /// A serial port (UART or USB gadget), given by the path of its device. The gateway's configuration assigns the
    /// port to one app.
    ///
    /// The port has 8 data bits, no parity, 1 stop bit and no flow control. Protocol lines have checksums by default
    /// (``OneFixClient/Options/crc``).
    case serial(String, baudRate: Int = 115_200)

    /// The Unix socket for apps on this machine: the value of the environment variable `ONEFIX_SOCKET`, or
    /// `/run/onefix/onefix.sock` if the variable is not set.
    public static var standard: Endpoint { .unix(standardPath) }

    package static var standardPath: String {
      environmentVariable("ONEFIX_SOCKET") ?? "/run/onefix/onefix.sock"
    }

    /// The Unix socket for owners (administrators): `owner.sock` in the directory of the socket for apps. For other
    /// endpoints, the directory is `/run/onefix`.
    package var owners: Endpoint {
      switch self {
      case .unix(let path): .unix(Self.ownerPath(beside: path))
      case .tcp, .tls, .serial: .unix("/run/onefix/owner.sock")
      }
    }

    var isSerial: Bool { if case .serial = self { true } else { false } }

    package static func ownerPath(beside path: String) -> String {
      (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "owner.sock"
    }
  }

  /// The credential with which an app authenticates over TLS.
  public enum TLSProof: Hashable, Sendable {
    /// The app's key, which is never sent: the client and the gateway prove to each other that both have the key. The
    /// proofs are valid only for the TLS certificate of this gateway.
    case key(Key)
    /// A secret text that the client sends to the gateway. A key is safer, because a key is never sent.
    case token(Token)
    /// A TLS certificate of the app. The gateway's configuration must contain the certificate.
    case certificate(ClientCertificate)
  }

  /// The certificates with which the client verifies the gateway's certificate.
  public enum TrustRoots: Hashable, Sendable {
    /// The certificate authorities that this machine trusts.
    case system
    /// Only these certificates, as PEM text: a self-signed certificate of the gateway, or the certificate of the
    /// authority that signed the gateway's certificate.
    case pem(String)
  }

  /// An app's certificate with its private key, both as PEM text.
  public struct ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The app's certificate as PEM text, followed by its intermediate certificates.
    public var chain: String
    let privateKey: String

    /// Creates a certificate from PEM text.
    ///
    /// - Parameters:
    ///   - chain: The app's certificate, followed by its intermediate certificates.
    ///   - privateKey: The private key, without encryption.
    public init(chain: String, privateKey: String) {
      self.chain = chain
      self.privateKey = privateKey
    }

    /// The text "a client certificate", without the private key.
    public var description: String { "a client certificate" }
    /// The same text as `description`, without the private key.
    public var debugDescription: String { description }
  }

  /// The secret key of 32 bytes that an app shares with the gateway. The gateway's owner (administrator) creates the
  /// key with the command `KEY ADD`.
  public struct Key: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The length of a key in bytes.
    public static let length = 32

    let secret: SecretKey

    /// Creates a key from its text, which the owner (administrator) received from the gateway. Returns nil unless the
    /// text has 43 characters of base64url, which are 32 bytes (RFC 4648 §5).
    public init?(base64url: String) {
      guard let bytes = Base64URL.bytes(of: base64url), bytes.count == Self.length else { return nil }
      secret = SecretKey(bytes)
    }

    /// The text "a key", which does not reveal the key.
    public var description: String { "a key" }
    /// The same text as `description`, which does not reveal the key.
    public var debugDescription: String { description }
  }

  /// A secret text of an app that the client sends to the gateway unchanged, like a password.
  public struct Token: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let text: String

    /// Creates a token from its text, which the owner (administrator) received from the gateway. Returns nil if the
    /// text is empty, or contains a space or a character other than printable ASCII.
    public init?(_ text: String) {
      guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
      self.text = text
    }

    /// The text "a token", which does not reveal the token.
    public var description: String { "a token" }
    /// The same text as `description`, which does not reveal the token.
    public var debugDescription: String { description }
  }
}

extension OneFixClient.Endpoint: CustomStringConvertible {
  /// The address of the gateway as text for users, without secrets.
  public var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let host, let port, _): hostAndPort(host, port)
    case .tls(let host, let port, _, _): "\(hostAndPort(host, port)) (TLS)"
    case .serial(let path, let baudRate): "\(path) (\(baudRate) baud)"
    }
  }
}
