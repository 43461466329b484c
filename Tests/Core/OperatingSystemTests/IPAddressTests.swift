import OperatingSystem
import Testing

@Suite struct IPAddressTests {
  @Test func `an IPv4 address has 4 bytes in network order, an IPv6 address has 16, and other texts are no address`() {
    #expect(IPAddress.ipv4("192.0.2.1") == [192, 0, 2, 1])
    let zeros = [UInt8](repeating: 0, count: 11)
    #expect(IPAddress.ipv6("2001:db8::1") == [0x20, 0x01, 0x0D, 0xB8] + zeros + [1])
    for text in ["", "192.0.2", "192.0.2.256", "192.0.2.1 ", "localhost", "[::1]", "::g"] {
      #expect(IPAddress.ipv4(text) == nil && IPAddress.ipv6(text) == nil, "\(text)")
    }
  }
}
