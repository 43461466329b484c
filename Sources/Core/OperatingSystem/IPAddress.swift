import Glibc

/// Reads IP addresses.
package enum IPAddress {
  /// Returns the 4 bytes of an IPv4 address, in network order; nil for any other text.
  package static func ipv4(_ text: String) -> [UInt8]? { bytes(of: text, AF_INET, count: 4) }

  /// Returns the 16 bytes of an IPv6 address, without brackets, in network order; nil for any other text.
  package static func ipv6(_ text: String) -> [UInt8]? { bytes(of: text, AF_INET6, count: 16) }

  private static func bytes(of text: String, _ family: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    // SAFETY: `inet_pton` writes an address of the family, and `bytes` has the length of such an address.
    return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }
}
