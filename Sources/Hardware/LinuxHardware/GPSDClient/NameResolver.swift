import Glibc
import NIOCore
import NIOPosix

/// A resolver of host names that runs getaddrinfo(3) on a thread of SwiftNIO. The default resolver of SwiftNIO uses
/// Dispatch, whose threads wake up each second. For a numeric address, the resolver makes no lookup.
struct NameResolver: Resolver, Sendable {
  let eventLoop: any EventLoop

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { query(host, port, AF_INET) }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { query(host, port, AF_INET6) }

  /// Does nothing, because SwiftNIO ignores the results of cancelled queries.
  func cancelQueries() {}

  private func query(_ host: String, _ port: Int, _ family: Int32) -> EventLoopFuture<[SocketAddress]> {
    if let address = try? SocketAddress(ipAddress: host, port: port) {
      let isOfFamily = address.protocol == (family == AF_INET ? .inet : .inet6)
      return eventLoop.makeSucceededFuture(isOfFamily ? [address] : [])
    }
    return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { Self.addresses(of: host, port, family) }
  }

  private static func addresses(of host: String, _ port: Int, _ family: Int32) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = family
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // The list is valid until the code frees the list at the end of this function.
    guard unsafe getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return [] }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      // The address of each entry has the requested family.
      let bytes = unsafe UnsafeRawPointer(entry.pointee.ai_addr)
      if let bytes = unsafe bytes {
        addresses.append(
          family == AF_INET
            ? unsafe SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self), host: host)
            : unsafe SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self), host: host))
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses
  }
}
