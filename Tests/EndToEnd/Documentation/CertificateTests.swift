import Foundation
import Repository
import Testing

/// Certificates that the commands of the pages make. Python 3.13 sets `VERIFY_X509_STRICT` by default; the tests set it
/// with any version.
@Suite struct CertificateTests {
  private static let extensions =
    "basicConstraints,keyUsage,extendedKeyUsage,subjectKeyIdentifier,authorityKeyIdentifier"

  /// Runs the blocks of a page that make certificates, with changes for this machine.
  private static func make(_ page: Page, in folder: Folder, replacing changes: [(String, String)] = []) async throws {
    for block in page.blocks where block.text.contains("openssl req") {
      var text = block.text
      for (old, new) in changes { text.replace(old, with: new) }
      let arguments = block.remark("arguments").map { "set -- \($0)\n" } ?? ""
      let end = try await Child("sh", ["-euc", "cd '\(folder.path)'\n\(arguments)\(text)"]).finish()
      try #require(end.end == .exit(0), "\(page.path):\(block.line): \(end.errors)")
    }
  }

  private static func openssl(_ words: String...) async throws -> String {
    try await Authority.openssl(words).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }

  @Test(arguments: Page.all.filter { $0.blocks.contains { $0.text.contains("openssl req") } })
  func `each certificate that a page makes has the extensions of RFC 5280`(page: Page) async throws {
    let folder = try Folder()
    try await Self.make(page, in: folder)
    let names = folder.names.filter { $0.hasSuffix(".pem") }
    #expect(names.count > 1)
    for name in names {
      let shown = try await Self.openssl("x509", "-in", folder.path(name), "-noout", "-ext", Self.extensions)
      let identifiers = ["Subject Key Identifier", "Authority Key Identifier"]
      #expect(identifiers.allSatisfy { shown.contains($0) }, "\(name): \(shown)")
      if shown.contains("CA:TRUE") {
        #expect(shown.contains("Basic Constraints: critical\nCA:TRUE"), "\(name): \(shown)")
        #expect(shown.contains("Key Usage: critical\nCertificate Sign, CRL Sign"), "\(name): \(shown)")
        continue
      }
      #expect(shown.contains("Key Usage: critical\nDigital Signature"), "\(name): \(shown)")
      let isServer = shown.contains("TLS Web Server Authentication")
      #expect(isServer != shown.contains("TLS Web Client Authentication"), "\(name): \(shown)")
      let verified = try await Self.openssl(
        "verify", "-x509_strict", "-CAfile", folder.path("ca.pem"), "-purpose", isServer ? "sslserver" : "sslclient",
        folder.path(name))
      #expect(verified.hasSuffix(": OK"), "\(name): \(verified)")
    }
  }

  /// Makes Python as strict as version 3.13, and then runs the client.
  private static let strictly = """
    import runpy, ssl, sys
    create = ssl.create_default_context
    def strict(*arguments, **options):
        context = create(*arguments, **options)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context
    ssl.create_default_context = strict
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
    """

  @Test func `the client in Python trusts a gateway with the certificates of the page, as strictly as Python 3.13`()
    async throws
  {
    let folder = try Folder()
    try await Self.make(
      Page.named("Documentation/fleets.md"), in: folder, replacing: [("DNS:mqtt.example.org", "IP:127.0.0.1")])
    let listener = """
      [[listen]]
      address = "127.0.0.1:0"
      certificate = "\(folder.path("server.pem"))"
      private_key = "\(folder.path("server.key"))"

      """
    try await Daemon.with(configuration: listener + NetworkTests.apps) { daemon in
      let address = try daemon.address("tls")
      let key = try folder.write(try await daemon.addKey("ferry"), to: "key")
      let client = "\(Repository.root)/Sources/Documentation/clients/onefix.py"
      let words = ["--app", "ferry", "--host", "\(address.host):\(address.port)", "--key-file", key]
      let child = try Child("python3", ["-B", "-c", Self.strictly, client] + words + ["--tls", folder.path("ca.pem")])
      try await child.reported("waiting for a press")
      #expect(try await daemon.pressed(child).accuracy == "full")
      let missing = try await Child("python3", ["-B", client] + words + ["--tls", folder.path("none.pem")]).finish()
      #expect(missing.end == .exit(1) && missing.errors.first?.contains("none.pem for TLS") == true, "\(missing)")
    }
  }
}
