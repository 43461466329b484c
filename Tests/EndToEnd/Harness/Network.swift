import Base
import CTestShims
import Foundation
import Glibc
import Testing

/// A TCP connection.
final class TCPConnection: Carrier {
  let output = Observed(TextOutput())
  private let descriptor: Int32

  /// - Parameter host: An IPv4 address.
  init(_ host: String, _ port: String) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = try #require(UInt16(port)).bigEndian
    try #require(unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Child.Failure(number: errno) }
    let connected = unsafe withUnsafePointer(to: &address) { pointer in
      // The pointer is valid during the call, and the length is that of the address.
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      close(descriptor)
      throw Child.Failure(number: errno)
    }
    Child.read(descriptor, into: output)
  }

  deinit { hangUp() }

  func write(_ bytes: [UInt8]) {
    // The count is that of the array.
    guard !output.value.isOver else { return }
    _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Whether the user of the tests may drop incoming packets. Some machines allow this only to root.
  static let canVanish: Bool = {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    return connection_vanish(descriptor) == 0
  }()

  /// Stops all traffic of the connection, like a machine that has lost its power.
  func vanish() throws {
    let failed = connection_vanish(descriptor)
    guard failed == 0 else { throw Child.Failure(number: failed) }
  }

  func disconnect() async throws {
    hangUp()
    _ = try await output.first("the end of the connection") { $0.isOver ? true : nil }
  }

  private func hangUp() {
    if !output.value.isOver { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }
}

extension Daemon {
  /// Returns the address of the listener for a transport, as READY reports it.
  func address(_ transport: String) throws -> (host: String, port: String) {
    let ready = try #require(process.errors.value.lines.first { $0.hasPrefix("READY ") })
    let address = try #require(ready.split(separator: " ").first { $0.hasPrefix("\(transport)=") }).dropFirst(
      transport.count + 1)
    let colon = try #require(address.lastIndex(of: ":"))
    return (address[..<colon].filter { !"[]".contains($0) }, String(address[address.index(after: colon)...]))
  }

  /// Connects without sending anything.
  func connect(_ transport: String) throws -> Peer {
    let address = try address(transport)
    return Peer(try TCPConnection(address.host, address.port))
  }

  /// Creates a key or a token as an owner does.
  func addKey(_ app: String, _ more: String...) async throws -> String {
    let made = try await begin(["key", "add", app, "--language", "en"] + more).finish()
    try #require(made.end == .exit(0) && made.output.count == 2, "\(made)")
    return made.output[1]
  }
}

/// An app on a network, whose lines a test sends one by one.
struct NetworkApp {
  static let clientNonce = "00112233445566778899AABBccddeeff"

  let peer: Peer
  let info: String
  /// The fingerprint of the certificate that the gateway presented.
  let binding: String

  static func overTCP(_ daemon: Daemon) async throws -> NetworkApp {
    let peer = try daemon.connect("tcp")
    return NetworkApp(peer: peer, info: try await peer.next("INFO"), binding: "")
  }

  /// Connects with `openssl s_client`.
  static func overTLS(_ daemon: Daemon, _ authority: Authority, as name: String? = nil) async throws -> NetworkApp {
    let peer = Peer(try client(daemon, authority, as: name))
    return NetworkApp(
      peer: peer, info: try await peer.next("INFO"), binding: try await authority.fingerprint(of: "server"))
  }

  static func client(_ daemon: Daemon, _ authority: Authority, as name: String?, _ more: String...) throws -> Child {
    let address = try daemon.address("tls")
    let shown = name.map { ["-cert", authority.certificate($0), "-key", authority.privateKey($0)] } ?? []
    let words =
      ["s_client", "-quiet", "-verify_return_error", "-connect", "\(address.host):\(address.port)"]
      + ["-CAfile", authority.certificate("authority")] + shown + more
    return try Child("openssl", words)
  }

  /// Returns the value of a key of INFO.
  func info(_ key: String) -> String? {
    info.split(separator: " ").first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
  }

  /// Returns the HMAC-SHA-256 over the fields that the contract defines.
  func proof(_ role: String, _ app: String, _ key: String, binding: String? = nil) throws -> String {
    let standard = key.replacing("-", with: "+").replacing("_", with: "/") + "="
    let secret = SecretKey(Array(try #require(Data(base64Encoded: standard))))
    let parts = [
      "onefix-v1", role, try #require(info("id")), app, try #require(info("nonce")), Self.clientNonce,
      binding ?? self.binding,
    ]
    return Authenticator(secret).code(of: Array(parts.joined(separator: "\n").utf8)).map { String(format: "%02x", $0) }
      .joined()
  }

  /// Sends HELLO and returns the proof of the gateway.
  func hello(_ app: String, _ more: String = "") async throws -> String {
    let reply = try await peer.reply(to: "HELLO 1 app=\(app) keepalive=0 nonce=\(Self.clientNonce)\(more)")
    return String(try #require(reply.wholeMatch(of: /\+OK auth=required proof=([0-9a-f]{64})/), "\(reply)").1)
  }

  /// Sends HELLO, checks the proof of the gateway, and sends the proof of the app.
  /// - Returns: The reply of the gateway to the proof.
  func prove(_ app: String, by key: String, _ more: String = "") async throws -> String {
    #expect(try await hello(app, more) == proof("server", app, key))
    return try await peer.reply(to: "AUTH hmac=\(try proof("client", app, key))")
  }
}

/// Certificates, made by `openssl`.
struct Authority {
  let folder: Folder

  /// Creates the certificates of the authority and of the server.
  init() async throws {
    folder = try Folder()
    try await make(
      "authority", ["-subj", "/CN=OneFix test authority", "-addext", "keyUsage=critical,keyCertSign,cRLSign"])
    try await issue("server", ["-addext", "subjectAltName=IP:127.0.0.1"])
  }

  func certificate(_ name: String) -> String { folder.path("\(name).pem") }

  func privateKey(_ name: String) -> String { folder.path("\(name).key") }

  /// Creates a certificate that the authority has signed.
  func issue(_ name: String, _ more: [String] = []) async throws {
    let issuer = ["-CA", certificate("authority"), "-CAkey", privateKey("authority")]
    try await make(name, ["-subj", "/CN=\(name)"] + Self.leaf + issuer + more)
  }

  /// The extensions of a certificate that is not an authority's. (RFC 5280)
  static let leaf = [
    "-extensions", "usr_cert", "-addext", "keyUsage=critical,digitalSignature",
    "-addext", "extendedKeyUsage=serverAuth,clientAuth",
  ]

  /// Creates a certificate that the authority has signed, for this machine and a period, as in `20200101000000Z`.
  func issue(_ name: String, from begin: String, until end: String) async throws {
    _ = try folder.write("", to: "index")
    _ = try folder.write("01\n", to: "serial")
    let settings = """
      [ca]
      default_ca = authority
      [authority]
      database = \(folder.path("index"))
      serial = \(folder.path("serial"))
      new_certs_dir = \(folder.path)
      default_md = sha256
      policy = policy
      x509_extensions = server
      [policy]
      commonName = supplied
      [server]
      subjectAltName = IP:127.0.0.1
      """
    let file = try folder.write(settings, to: "authority.conf")
    let request = [
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)",
    ]
    for words in [
      request + ["-keyout", privateKey(name), "-out", folder.path("\(name).csr")],
      ["ca", "-batch", "-config", file, "-cert", certificate("authority"), "-keyfile", privateKey("authority")]
        + ["-notext", "-startdate", begin, "-enddate", end]
        + ["-in", folder.path("\(name).csr"), "-out", certificate(name)],
    ] {
      try await Self.openssl(words)
    }
  }

  /// Creates a self-signed certificate.
  func make(_ name: String, _ more: [String]) async throws {
    try await Self.openssl(
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-keyout", privateKey(name), "-out", certificate(name)] + more)
  }

  /// Runs `openssl`, which must succeed, and returns its output.
  @discardableResult
  static func openssl(_ words: [String]) async throws -> [String] {
    let end = try await Child("openssl", words).finish()
    try #require(end.end == .exit(0), "\(words): \(end.output + end.errors)")
    return end.output
  }

  /// Returns the fingerprint of a certificate: 64 lower-case hexadecimal digits.
  func fingerprint(of name: String) async throws -> String {
    let words = ["x509", "-in", certificate(name), "-noout", "-fingerprint", "-sha256"]
    let line = try #require(try await Self.openssl(words).first)
    return line.drop { $0 != "=" }.dropFirst().filter { $0 != ":" }.lowercased()
  }

  /// Returns the section of the listener in `onefix.toml`.
  func listener(clientCA: Bool = false) -> String {
    """
    [[listen]]
    address = "127.0.0.1:0"
    certificate = "\(certificate("server"))"
    private_key = "\(privateKey("server"))"
    \(clientCA ? "client_ca = \"\(certificate("authority"))\"" : "")

    """
  }
}
