import Base
import OperatingSystem

extension OneFixClient {
  /// The address of a gateway, with the credential of the app.
  public enum Endpoint: Hashable, Sendable {
    /// A Unix socket with a path of at most 107 bytes. The gateway identifies the app by the user or the systemd unit
    /// of this process, which the kernel reports to the gateway.
    case unix(String)
    /// A TCP connection, which is not encrypted. Use only a loopback address, so that other machines cannot read the
    /// data. The key is never sent: the app and the gateway prove to each other that they have the key.
    case tcp(host: String, port: Int, key: Key)
    /// A connection with TLS 1.2 or newer. The client verifies the gateway's certificate and host name.
    case tls(host: String, port: Int, TLSProof, trust: TrustRoots = .system)
    /// A serial port: a UART or a USB gadget, given by the path of its device. The gateway's configuration assigns the
    /// port to one app. The port has 8 data bits, no parity, 1 stop bit and no flow control. Lines have checksums by
    /// default (``OneFixClient/Options/crc``).
    case serial(String, baudRate: Int = 115_200)

    /// The Unix socket for apps on this machine: the value of the environment variable `ONEFIX_SOCKET`, or
    /// `/run/onefix/onefix.sock` if the variable is not set.
    public static var standard: Endpoint { .unix(standardPath) }

    package static var standardPath: String {
      environmentVariable("ONEFIX_SOCKET") ?? "/run/onefix/onefix.sock"
    }

    /// The Unix socket for owners: `owner.sock` in the directory of the socket for apps.
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
    /// The app's key, which is never sent: the client and the gateway prove to each other that they have the key. The
    /// proofs are not valid for a server with a different certificate.
    case key(Key)
    /// A secret that the client sends to the gateway. A key is more secure, because a key is never sent.
    case token(Token)
    /// A certificate of the app, which the gateway's configuration must contain.
    case certificate(ClientCertificate)
  }

  /// The certificates with which the client verifies the gateway's certificate.
  public enum TrustRoots: Hashable, Sendable {
    /// The certificate authorities that this machine trusts.
    case system
    /// Only these certificates, as PEM text: the gateway's own certificate if this certificate is self-signed,
    /// otherwise the certificate of the authority that signed it.
    case pem(String)
  }

  /// An app's certificate with its private key, both as PEM text.
  public struct ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The app's certificate, followed by its intermediate certificates.
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

    /// A description that does not contain the private key.
    public var description: String { "a client certificate" }
    /// A description that does not contain the private key.
    public var debugDescription: String { description }
  }

  /// The key of 32 bytes that an app shares with the gateway. The gateway's owner creates the key with the command `KEY
  /// ADD`.
  public struct Key: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The length of a key in bytes.
    public static let length = 32

    let secret: SecretKey

    /// Creates a key from the 43 characters that the gateway showed to its owner; nil if the text is not 32 bytes in
    /// base64url (RFC 4648 §5).
    public init?(base64url: String) {
      guard let bytes = Base64URL.bytes(of: base64url), bytes.count == Self.length else { return nil }
      secret = SecretKey(bytes)
    }

    /// A description that does not contain the key.
    public var description: String { "a key" }
    /// A description that does not contain the key.
    public var debugDescription: String { description }
  }

  /// The token of an app: a secret that the client sends to the gateway unchanged.
  public struct Token: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let text: String

    /// Creates a token from the text that the gateway showed to its owner; nil if the text is empty, or contains spaces
    /// or characters other than printable ASCII.
    public init?(_ text: String) {
      guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
      self.text = text
    }

    /// A description that does not contain the token.
    public var description: String { "a token" }
    /// A description that does not contain the token.
    public var debugDescription: String { description }
  }
}

extension OneFixClient.Endpoint: CustomStringConvertible {
  /// The address of the endpoint as text for users, without secrets.
  public var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let host, let port, _): "\(host):\(port)"
    case .tls(let host, let port, _, _): "\(host):\(port) (TLS)"
    case .serial(let path, let baudRate): "\(path) (\(baudRate) baud)"
    }
  }
}
