import Base
import Foundation
import LineProtocol
import OneFixClient
import Requirements
import ScriptedGateways
import TLS
import TemporaryFiles
import Testing

/// Certificates for one run of the tests, which openssl creates.
private struct Certificates {
  let certificate: String
  let privateKey: String

  init(name: String) throws {
    let folder = try TemporaryDirectory()
    let (key, certificate) = (folder.path("key.pem"), folder.path("cert.pem"))
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    openssl.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-keyout", key, "-out", certificate, "-subj", "/CN=\(name)",
      "-addext", "keyUsage=critical,digitalSignature,keyCertSign", "-addext", "extendedKeyUsage=serverAuth,clientAuth",
      "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
    ]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    try #require(openssl.terminationStatus == 0)
    self.certificate = try String(contentsOfFile: certificate, encoding: .utf8)
    privateKey = try String(contentsOfFile: key, encoding: .utf8)
  }

  func server(trusting client: String) throws -> TLSContext {
    try TLSContext(
      server: TLSContext.Identity(certificates: .text(certificate), privateKey: .text(privateKey)),
      clientAuthorities: .text(client))
  }
}

@Suite(.patient) struct ProofTests {
  private static let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  private static var key: OneFixClient.Key { get throws { try #require(OneFixClient.Key(base64url: text)) } }

  @Test(arguments: [
    "+OK TAG proto=1 session=x authorization=always accuracy=full", "+OK TAG auth=required",
    "+OK TAG auth=required proof=", "+OK TAG auth=required proof=zz",
  ])
  func `a gateway without a proof receives no further command`(reply: String) async throws {
    let heard = Recorder<String>()
    let gateway = try await ScriptedGateway(.tcp) { connection, _ in
      try await connection.send("INFO proto=1 id=boat-7 nonce=\(String(repeating: "5", count: 32))")
      let (_, tag, _) = try await connection.command()
      try await connection.send(reply.replacing("TAG", with: tag))
      do { heard.record(try await connection.receive()) } catch { heard.record("gone") }
    }
    let endpoint = OneFixClient.Endpoint.tcp(host: "127.0.0.1", port: gateway.port, key: try Self.key)
    await #expect {
      _ = try await OneFixClient.connect(endpoint, app: "app", options: hasty)
    } throws: { error in
      if case ClientError.untrusted = error { true } else { false }
    }
    #expect(await heard.first(1) == ["gone"])
    await gateway.stop()
  }

  @Test func `an app may show a certificate of its own`() async throws {
    let (own, boat) = (try Certificates(name: "app"), try Certificates(name: "boat-7"))
    let proof = OneFixClient.TLSProof.certificate(.init(chain: own.certificate, privateKey: own.privateKey))
    let gateway = try await ScriptedGateway(.tls(boat.server(trusting: own.certificate))) { connection, _ in
      try await connection.greet()
      try await connection.agree()
    }
    let endpoint = OneFixClient.Endpoint.tls(
      host: "localhost", port: gateway.port, proof, trust: .pem(boat.certificate))
    let client = try await OneFixClient.connect(endpoint, app: "app", options: hasty)
    await client.close()
    await gateway.stop()
  }

  @Test func `a key and a token do not show themselves, and a key is 32 bytes`() throws {
    let key = try Self.key
    #expect(OneFixClient.Token("swordfish").map { "\($0)" } == "a token")
    for text in ["\(key)", String(reflecting: key), "\(OneFixClient.Endpoint.tcp(host: "h", port: 1, key: key))"] {
      #expect(!text.contains("AAEC"))
    }
    #expect(OneFixClient.Key(base64url: String(Self.text.dropLast(3))) == nil)
    let same = try Self.key
    #expect(same == key && Set([key, same]).count == 1)
  }
}
