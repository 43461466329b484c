import Glibc

/// The paths of Unix sockets.
package enum SocketPath {
  /// The maximum length of a path in bytes. The address of a socket ends with a zero byte. (unix(7))
  package static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
}
