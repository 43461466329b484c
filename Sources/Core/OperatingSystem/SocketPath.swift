package enum SocketPath {
  /// The maximum length of the path of a socket in bytes. Linux permits 107 bytes, but SwiftNIO refuses a path of more
  /// than 103 bytes on each system, because macOS does.
  package static let maximumLength = 103
}

/// Returns a host and a port as text, for example `127.0.0.1:7447` or `[::1]:7447`. An IPv6 address gets brackets.
/// - Parameter host: A host name, or an IP address without brackets.
package func hostAndPort(_ host: String, _ port: Int) -> String {
  host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
}
