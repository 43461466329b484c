import Glibc
import NIOCore
import NIOPosix

/// Looks names up on threads that may wait, as NIO's own does, but without Dispatch, whose threads are looked at each
/// second once there is one. For an address no thread is needed.
struct NameResolver: Resolver, Sendable {
  let eventLoop: any EventLoop

  func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { query(host, port, AF_INET) }

  func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { query(host, port, AF_INET6) }

  /// The answer is not waited for any more.
  func cancelQueries() {}

  private func query(_ host: String, _ port: Int, _ family: Int32) -> EventLoopFuture<[SocketAddress]> {
    if let address = try? SocketAddress(ipAddress: host, port: port) {
      let isOfFamily = address.protocol == (family == AF_INET ? .inet : .inet6)
      return eventLoop.makeSucceededFuture(isOfFamily ? [address] : [])
    }
    return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { Self.addresses(of: host, port, family) }
  }

  private static func addresses(of host: String, _ port: Int, _ family: Int32) -> [SocketAddress] {
    // Zero is no wish.
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = family
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // The list is there until it is freed, at the end.
    guard unsafe getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return [] }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      // An entry's address is one of the family that was asked for.
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
