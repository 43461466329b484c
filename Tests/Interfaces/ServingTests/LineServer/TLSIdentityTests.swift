import Base
import NIOSSL
import Testing

@testable import Serving

@Suite struct TLSIdentityTests {
  /// Valid from 2020-01-01 to 2021-01-01.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBBzCBrgIBATAKBggqhkjOPQQDAjAQMQ4wDAYDVQQDDAVrYXlhazAeFw0yMDAx
    MDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBAxDjAMBgNVBAMMBWtheWFrMFkwEwYH
    KoZIzj0CAQYIKoZIzj0DAQcDQgAEiMiwLMzulipbDiQABVTCXw+B+MHHZ2MzTnom
    u/UfxiHurrRE6DSF2jFwNqkkeHWQjFqDq73rn3d5MjOtDhKhUDAKBggqhkjOPQQD
    AgNIADBFAiEAte6uwiT9gOJTR/9RdGR8ukFCw70jpEQIFwV7ezvnerECIASuQB79
    ItTePE4tG895piHYVL5cxeEegzWzv9itf+9d
    -----END CERTIFICATE-----
    """

  /// A client that continues a TLS session shows the certificate of the first handshake.
  @Test(arguments: [
    ("2019-12-31T23:59:59Z", false), ("2020-01-01T00:00:00Z", true), ("2020-07-01T00:00:00Z", true),
    ("2021-01-01T00:00:00Z", true), ("2021-01-01T00:00:01Z", false),
  ])
  func `a certificate authenticates only in the time in which it is valid`(time: String, isValid: Bool) throws {
    let now = try #require(UTCTime(iso8601: time))
    let certificate = try NIOSSLCertificate(bytes: Array(Self.certificate.utf8), format: .pem)
    #expect((try certificate.fingerprint(at: now) != nil) == isValid)
  }
}
