import Base
import Foundation
import LineProtocol
import NIOSSL
import OneFixClient
import Repository
import Requirements
import ScriptedGateways
import Testing

/// Certificates for one run of the tests, which openssl creates.
private struct Certificates {
  let certificate: String
  let privateKey: String

  init(name: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("onefix-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (key, certificate) = (folder.appendingPathComponent("key.pem"), folder.appendingPathComponent("cert.pem"))
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    openssl.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-keyout", key.path, "-out", certificate.path, "-subj", "/CN=\(name)",
      // BoringSSL trusts a self-signed certificate only if it is an authority's.
      "-addext", "keyUsage=critical,digitalSignature,keyCertSign", "-addext", "extendedKeyUsage=serverAuth,clientAuth",
      "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
    ]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    try #require(openssl.terminationStatus == 0)
    self.certificate = try String(contentsOf: certificate, encoding: .utf8)
    privateKey = try String(contentsOf: key, encoding: .utf8)
  }

  func server(trusting client: String? = nil) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(privateKey.utf8), format: .pem)))
    if let client {
      configuration.certificateVerification = .noHostnameVerification
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(client.utf8)))
    }
    return try NIOSSLContext(configuration: configuration)
  }

  /// The endpoint of a gateway with this certificate.
  func endpoint(
    _ port: Int, host: String = "127.0.0.1", proof: OneFixClient.TLSProof
  ) -> OneFixClient.Endpoint {
    .tls(host: host, port: port, proof, trust: .pem(certificate))
  }

  var binding: String {
    get throws {
      let own = try #require(try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).first)
      return KeyProof.binding(certificate: try own.toDERBytes())
    }
  }
}

@Suite(.patient) struct ProofTests {
  private static let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  private static let secret = SecretKey(Array(UInt8(0)...31))
  private static var key: OneFixClient.Key { get throws { try #require(OneFixClient.Key(base64url: text)) } }
  private static let serverNonce = String(repeating: "5", count: 32)
  private static let boat = Result { try Certificates(name: "boat-7") }

  private static func tcp(_ port: Int) throws -> OneFixClient.Endpoint {
    .tcp(host: "127.0.0.1", port: port, key: try key)
  }

  private static func tls(_ port: Int) throws -> OneFixClient.Endpoint {
    try boat.get().endpoint(port, proof: .key(key))
  }

  private static var tlsServer: ScriptedGateway.Address {
    get throws { .tls(try boat.get().server()) }
  }

  /// Connects a client to a gateway that plays a script, and runs the body.
  private func withClient(
    of address: ScriptedGateway.Address, at endpoint: (Int) throws -> OneFixClient.Endpoint,
    _ play: @escaping @Sendable (inout GatewayConnection) async throws -> Void,
    _ body: (OneFixClient) async throws -> Void = { _ in }
  ) async throws {
    let gateway = try await ScriptedGateway(address) { connection, _ in try await play(&connection) }
    let client = try await OneFixClient.connect(endpoint(gateway.port), app: "app", options: hasty)
    try await body(client)
    await client.close()
    await gateway.stop()
  }

  /// Expects that a client does not trust a gateway that plays a script. The script must hear the expected lines.
  private func expectDistrust(
    of address: ScriptedGateway.Address, at endpoint: (Int) throws -> OneFixClient.Endpoint, heard expected: [String],
    _ play: @escaping @Sendable (inout GatewayConnection, Recorder<String>) async throws -> Void
  ) async throws {
    let heard = Recorder<String>()
    let gateway = try await ScriptedGateway(address) { connection, _ in try await play(&connection, heard) }
    await #expect {
      _ = try await OneFixClient.connect(endpoint(gateway.port), app: "app", options: hasty)
    } throws: { error in
      if case ClientError.untrusted = error { true } else { false }
    }
    #expect(await heard.first(expected.count) == expected)
    await gateway.stop()
  }

  /// Plays a gateway that requires a proof, and records the lines of the client.
  private static func challenge(
    _ connection: inout GatewayConnection, _ heard: Recorder<String>, binding: String = "", key: SecretKey = secret
  ) async throws {
    try await connection.send("INFO proto=1 id=boat-7 nonce=\(serverNonce)")
    let (words, tag, _) = try await connection.command()
    heard.record(words[0])
    let nonce = try #require(words.first { $0.hasPrefix("nonce=") }).dropFirst("nonce=".count)
    #expect(nonce.wholeMatch(of: /[0-9a-f]{32}/) != nil)
    let proof = KeyProof(
      gateway: "boat-7", app: "app", serverNonce: serverNonce, clientNonce: String(nonce), binding: binding)
    try await connection.send("+OK \(tag) auth=required proof=\(proof.digits(.server, with: key))")
    do {
      let (answer, tag, _) = try await connection.command()
      heard.record(answer[0])
      guard answer[0] == "AUTH", let digits = answer[1].split(separator: "=").last,
        proof.isRight(String(digits), of: .client, with: key)
      else { return try await connection.send("-ERR 902 auth-failed \(tag) :the proof does not match this app's key") }
      try await connection.send("+OK \(tag) proto=1 session=x authorization=notDetermined accuracy=full")
      while true {
        let (words, tag, _) = try await connection.command()
        try await connection.send("+OK \(tag)")
        if words[0] == "REQ" { try await connection.send("MSG fix/once - id=1 \(fixJSON(47.5))") }
      }
    } catch is GatewayConnection.Gone {
      heard.record("gone")
    }
  }

  @Test func `over TCP both sides prove that they have the key`() async throws {
    let heard = Recorder<String>()
    try await withClient(of: .tcp, at: Self.tcp) {
      try await Self.challenge(&$0, heard)
    } _: { client in
      try await client.enterForeground()
      #expect(heard.values == ["HELLO", "AUTH"])
    }
  }

  @Test func `a gateway without the key receives no further command`() async throws {
    try await expectDistrust(of: .tcp, at: Self.tcp, heard: ["HELLO", "gone"]) { connection, heard in
      try await Self.challenge(&connection, heard, key: SecretKey(Array(repeating: 9, count: 32)))
    }
  }

  @Test(arguments: [
    "+OK TAG proto=1 session=x authorization=always accuracy=full", "+OK TAG auth=required",
    "+OK TAG auth=required proof=", "+OK TAG auth=required proof=zz",
  ])
  func `a gateway without a proof receives no further command`(reply: String) async throws {
    try await expectDistrust(of: .tcp, at: Self.tcp, heard: ["gone"]) { connection, heard in
      try await connection.send("INFO proto=1 id=boat-7 nonce=\(Self.serverNonce)")
      let (_, tag, _) = try await connection.command()
      try await connection.send(reply.replacing("TAG", with: tag))
      do { heard.record(try await connection.receive()) } catch { heard.record("gone") }
    }
  }

  @Test(arguments: ["127.0.0.1", "localhost"])
  func `over TLS the proof is bound to the gateway's certificate`(host: String) async throws {
    let (boat, key) = (try Self.boat.get(), try Self.key)
    let binding = try boat.binding
    try await withClient(of: Self.tlsServer, at: { boat.endpoint($0, host: host, proof: .key(key)) }) {
      try await Self.challenge(&$0, Recorder(), binding: binding)
    } _: { client in
      try await client.enterForeground()
    }
  }

  @Test func `a proof that was made for another certificate is wrong`() async throws {
    let other = try Certificates(name: "boat-7").binding
    try await expectDistrust(of: Self.tlsServer, at: Self.tls, heard: ["HELLO", "gone"]) { connection, heard in
      try await Self.challenge(&connection, heard, binding: other)
    }
  }

  @Test func `a certificate that is not trusted ends the connection before the first command`() async throws {
    let other = ScriptedGateway.Address.tls(try Certificates(name: "other").server())
    try await expectDistrust(of: other, at: Self.tls, heard: []) { connection, _ in
      Issue.record("something was said: \(try await connection.receive())")
    }
  }

  @Test func `a token is sent over TLS, if the gateway asks for it`() async throws {
    let token = try #require(OneFixClient.Token("swordfish"))
    #expect("\(token)" == "a token" && OneFixClient.Token("two words") == nil && OneFixClient.Token("") == nil)
    let boat = try Self.boat.get()
    try await withClient(of: Self.tlsServer, at: { boat.endpoint($0, proof: .token(token)) }) { connection in
      try await connection.send("INFO proto=1 id=boat-7 nonce=\(Self.serverNonce)")
      var (words, tag, _) = try await connection.command()
      try await connection.send("+OK \(tag) auth=required")
      (words, tag, _) = try await connection.command()
      let isRight = words == ["AUTH", "token=swordfish"]
      try await connection.send(isRight ? "+OK \(tag) proto=1 session=x" : "-ERR 902 auth-failed \(tag) :no")
      try await connection.agree()
    }
  }

  @Test func `an app may show a certificate of its own`() async throws {
    let (own, boat) = (try Certificates(name: "app"), try Self.boat.get())
    let proof = OneFixClient.TLSProof.certificate(.init(chain: own.certificate, privateKey: own.privateKey))
    let server = ScriptedGateway.Address.tls(try boat.server(trusting: own.certificate))
    try await withClient(of: server, at: { boat.endpoint($0, host: "localhost", proof: proof) }) { connection in
      try await connection.greet()
      try await connection.agree()
    }
  }

  /// Runs the client in Python.
  private func python(_ arguments: [String], key: String) async throws -> (
    status: Int32, output: String, errors: String
  ) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("onefix-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(key.utf8).write(to: folder.appendingPathComponent("key"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["python3", "-B", "\(Repository.root)/Sources/Documentation/clients/onefix.py", "--app", "app"]
      + arguments + ["--key-file", folder.appendingPathComponent("key").path]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    let status = try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Int32, any Error>) in
      process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    let text = { (pipe: Pipe) in String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
    return (status, text(output), text(errors))
  }

  @Test(arguments: [false, true])
  func `the client in Python proves its identity, and stops if the gateway cannot`(isTLS: Bool) async throws {
    let certificates = try Self.boat.get()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("onefix-\(UUID().uuidString).pem")
    try Data(certificates.certificate.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let binding = isTLS ? try certificates.binding : ""
    let heard = Recorder<String>()
    let gateway = try await ScriptedGateway(isTLS ? Self.tlsServer : .tcp) { connection, number in
      let key = number == 0 ? Self.secret : SecretKey(Array(repeating: 9, count: 32))
      try await Self.challenge(&connection, heard, binding: binding, key: key)
    }
    let arguments = ["--host", "127.0.0.1:\(gateway.port)"] + (isTLS ? ["--tls", file.path] : [])
    let right = try await python(arguments, key: Self.text)
    #expect(right.status == 0 && right.output.contains(#""lat": 47.5"#), "\(right)")
    let wrong = try await python(arguments, key: Self.text)
    #expect(wrong.status == 1 && wrong.errors.hasPrefix("Untrusted: "), "\(wrong)")
    #expect(heard.values.filter { $0 == "AUTH" }.count == 1)
    await gateway.stop()
  }

  @Test func `a key does not show itself, and is 32 bytes`() throws {
    let key = try Self.key
    for text in ["\(key)", String(reflecting: key), "\(OneFixClient.Endpoint.tcp(host: "h", port: 1, key: key))"] {
      #expect(!text.contains("AAEC"))
    }
    #expect(OneFixClient.Key(base64url: String(Self.text.dropLast(3))) == nil)
    let same = try Self.key
    #expect(same == key && Set([key, same]).count == 1)
  }
}
