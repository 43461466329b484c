import Glibc

package enum SocketPath {
  /// The maximum length of a path in bytes, without the zero byte at the end of a socket address (unix(7)).
  package static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
}

/// Returns a host and a port as text, for example `127.0.0.1:7447` or `[::1]:7447`. An IPv6 address gets brackets.
/// - Parameter host: A host name, or an IP address without brackets.
package func hostAndPort(_ host: String, _ port: Int) -> String {
  host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
}
