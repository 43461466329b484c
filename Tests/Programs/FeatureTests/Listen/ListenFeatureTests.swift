import Configuration
import Testing

@testable import Features

@Suite struct ListenFeatureTests {
  @Test(arguments: [
    ("127.0.0.1:7447", "127.0.0.1", 7447), ("127.255.3.4:0", "127.255.3.4", 0), ("[::1]:65535", "::1", 65535),
    ("[0:0:0:0:0:0:0:1]:7447", "::1", 7447), ("[0::0001]:07447", "::1", 7447),
  ])
  func `a loopback address needs no other key`(address: String, host: String, port: Int) throws {
    let text = "gateway = \"boat\"\n[[listen]]\naddress = \"\(address)\""
    let found = try #require(try read(text, as: ListenFeature.self)).listeners
    #expect(found.count == 1 && found[0].host == host && found[0].port == port && found[0].tls == nil)
    #expect("\(found[0].location)" == "onefix.toml:3")
  }

  @Test(arguments: ["127.0.0.1", "192.0.2.1", "0.0.0.0", "[::]", "[2001:db8::7]"])
  func `with TLS, any address is valid`(host: String) throws {
    let text = """
      [[listen]] | address = "\(host):7447" | certificate = "/etc/onefix/server.pem" \
      | private_key = "/etc/onefix/server.key" | client_ca = "/etc/onefix/apps.pem"
      """
    let tls = try #require(try read(text, as: ListenFeature.self)?.listeners.first?.tls)
    #expect(
      [tls.certificate, tls.privateKey, tls.clientCA ?? ""].map { "\($0) \(tls.location(of: $0))" } == [
        "/etc/onefix/server.pem onefix.toml:3", "/etc/onefix/server.key onefix.toml:4",
        "/etc/onefix/apps.pem onefix.toml:5",
      ])
  }

  @Test(arguments: ["192.0.2.1:1", "0.0.0.0:1", "[::]:1", "[fe80::1]:1", "126.255.255.255:1", "[::ffff:127.0.0.1]:1"])
  func `other addresses need TLS, and the message has the remedy`(address: String) {
    #expect(
      faults("[[listen]]\naddress = \"\(address)\"") == [
        "onefix.toml:2: error: 'address' in [[listen]] is not a loopback address and uses no TLS, so others could "
          + "read each fix (add 'certificate' and 'private_key', or listen on '127.0.0.1' or '[::1]')"
      ])
  }

  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:", ":7447", "localhost:7447", "127.1:7447", "127.0.0.1:65536", "127.0.0.1:-1",
    "127.0.0.1:+1", "::1:7447", "[::1]7447", "[::1", "[127.0.0.1]:1", "[::1%lo]:1", "", "127.0.0.1:7447 ",
  ])
  func `an invalid address is refused with an example`(address: String) {
    let found = faults("[[listen]]\naddress = \"\(address)\"")
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix("onefix.toml:2: error: 'address' in [[listen]] is '\(address)', but must be") == true)
    #expect(found.first?.contains("'127.0.0.1:7447' or '[::1]:7447'") == true)
  }

  static let invalid = """
    → 1: [[listen]] needs 'address'
    address = "[::]:1" | certificate = "/c" → 1: [[listen]] needs 'private_key'
    address = "[::]:1" | private_key = "/k" → 1: [[listen]] needs 'certificate'
    address = "127.0.0.1:1" | client_ca = "/c" → 1: [[listen]] needs 'certificate' & 1: [[listen]] needs 'private_key'
    address = "[::]:1" | certificate = "c.pem" | private_key = "/k" \
      → 3: 'certificate' in [[listen]] is 'c.pem', but must be a path that begins with /
    address = "127.0.0.1:1" | port = 3 \
      → 3: unknown key 'port' in [[listen]] (known: certificate, private_key, client_ca, address)
    address = "[::1]:1" | [[listen]] | address = "[0::1]:1" → 4: the address is configured twice (first in line 2)
    address = "127.0.0.1:0" | [[listen]] | address = "127.0.0.1:0"
    """
}
