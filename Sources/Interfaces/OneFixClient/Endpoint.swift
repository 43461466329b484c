import Crypto
import FoundationEssentials
import Handshake

extension OneFixClient {
  /// Where a gateway listens, and how an app proves there who it is.
  public enum Endpoint: Hashable, Sendable {
    /// A Unix socket, by its path of at most 107 bytes. The kernel tells the gateway who the app is.
    case unix(String)
    /// TCP, which gateways offer on loopback only: nobody else may listen in. The app and the gateway prove to each
    /// other that they have the key, which is never sent.
    case tcp(host: String, port: Int, key: Key)
    /// TLS 1.2 or newer. The gateway's certificate is verified, with its name or address.
    case tls(host: String, port: Int, TLSProof, trust: TrustRoots = .system)
    /// A serial port at whose other end the gateway is: a UART, or a USB gadget. Which app is there the gateway's owner
    /// has said for that port. The program has it alone while the client is open: 8 data bits, no parity, 1 stop bit,
    /// no flow control. Lines have checksums, unless ``OneFixClient/Options/crc`` says otherwise.
    case serial(String, baudRate: Int = 115_200)

    /// The apps' socket of this machine: `$ONEFIX_SOCKET`, else `/run/onefix/onefix.sock`.
    public static var standard: Endpoint { .unix(standardPath) }

    /// The path of that.
    package static var standardPath: String {
      ProcessInfo.processInfo.environment["ONEFIX_SOCKET"] ?? "/run/onefix/onefix.sock"
    }

    /// The owners' socket: `owner.sock` beside the apps'. Owners have a socket and nothing else.
    package var owners: Endpoint {
      switch self {
      case .unix(let path): .unix(Self.ownerPath(beside: path))
      case .tcp, .tls, .serial: .unix("/run/onefix/owner.sock")
      }
    }

    var isSerial: Bool { if case .serial = self { true } else { false } }

    /// The owners' socket stands beside the apps'.
    package static func ownerPath(beside path: String) -> String {
      (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "owner.sock"
    }
  }

  /// How an app proves over TLS who it is.
  public enum TLSProof: Hashable, Sendable {
    /// By the app's key, bound to the gateway's certificate. The key is never sent, and the gateway proves itself, too.
    case key(Key)
    /// By a secret that is sent. Whoever has the gateway's certificate gets to know it: a key is better.
    case token(Token)
    /// By a certificate that the gateway's owner knows.
    case certificate(ClientCertificate)
  }

  /// Whose word counts for the gateway's certificate.
  public enum TrustRoots: Hashable, Sendable {
    /// The certificate authorities of this machine.
    case system
    /// These certificates and no others, as PEM text: the gateway's own, where it signed itself, or its authority's.
    case pem(String)
  }

  /// An app's certificate with its private key, both as PEM text.
  public struct ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The app's certificate first, then those that vouch for it.
    public var chain: String
    let privateKey: String

    /// - Parameters:
    ///   - chain: PEM text: the app's certificate first, then those that vouch for it.
    ///   - privateKey: PEM text, not encrypted.
    public init(chain: String, privateKey: String) {
      self.chain = chain
      self.privateKey = privateKey
    }

    /// Without the private key.
    public var description: String { "a client certificate" }
    /// Without the private key.
    public var debugDescription: String { description }
  }

  /// The 32 bytes that an app shares with the gateway, as `KEY ADD` makes them. It does not show itself when printed.
  public struct Key: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// How many bytes a key has.
    public static let length = 32

    let secret: SymmetricKey

    /// - Parameter base64url: 43 letters, as the gateway's owner was shown them.
    /// - Returns: nil unless they are 32 bytes in base64url (RFC 4648 §5).
    public init?(base64url: String) {
      guard let bytes = Base64URL.bytes(of: base64url), bytes.count == Self.length else { return nil }
      secret = SymmetricKey(data: bytes)
    }

    /// Without the key.
    public var description: String { "a key" }
    /// Without the key.
    public var debugDescription: String { description }

    /// Whether two keys are the same; it takes as long where they are not.
    public static func == (left: Key, right: Key) -> Bool { left.secret == right.secret }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) {
      // The bytes are read within the call.
      unsafe secret.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
    }
  }

  /// A secret that is sent as it is. It does not show itself when printed.
  public struct Token: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let text: String

    /// - Parameter text: as the gateway's owner gave it: printable ASCII without spaces.
    /// - Returns: nil where it is empty or has anything else in it.
    public init?(_ text: String) {
      guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
      self.text = text
    }

    /// Without the token.
    public var description: String { "a token" }
    /// Without the token.
    public var debugDescription: String { description }
  }
}

extension OneFixClient.Endpoint: CustomStringConvertible {
  /// Where it is, as people write it, without what is secret.
  public var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let host, let port, _): "\(host):\(port)"
    case .tls(let host, let port, _, _): "\(host):\(port) (TLS)"
    case .serial(let path, let baudRate): "\(path) (\(baudRate) baud)"
    }
  }
}
