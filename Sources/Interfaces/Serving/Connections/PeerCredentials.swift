import CLinux
import Glibc
package import NIOCore
import OperatingSystem
package import Ports

extension Peer {
  /// Creates the peer of a Unix socket: the user and the systemd unit of the process that connected.
  ///
  /// A process id alone is not sufficient, because another process can get the same id after the first process has
  /// ended. The socket option `SO_PEERPIDFD` therefore gives a descriptor of exactly the process that connected.
  init(ofUnixSocket socket: CInt) throws {
    let credentials = try Self.ask(socket, CInt(ONEFIX_SO_PEERCRED), onefix_peer_credentials())
    // The kernel refuses `SO_PEERPIDFD` if the process has ended. Linux before version 6.5 does not have this option.
    let pidfd = try? Self.ask(socket, CInt(ONEFIX_SO_PEERPIDFD), CInt())
    defer { if let pidfd { close(pidfd) } }
    self.init(
      credentials, pidfd: pidfd, unit: Self.systemUnit(ofProcess:), isAlive: { onefix_pidfd_is_alive($0) != 0 })
  }

  /// Creates the peer (the client's process) from the credentials that the kernel reports.
  /// - Parameters:
  ///   - pidfd: A descriptor of the process that connected; nil if the kernel provides none. Without a descriptor, the
  ///     peer has no systemd unit.
  ///   - unit: Returns the systemd unit of the process that has a process id now.
  ///   - isAlive: Returns whether the process of a descriptor still exists. No other process can have the id of a
  ///     process that exists.
  init(
    _ credentials: onefix_peer_credentials, pidfd: CInt?, unit: (_ pid: Int32) -> String?,
    isAlive: (_ pidfd: CInt) -> Bool
  ) {
    let unit = pidfd.flatMap { pidfd in
      let unit = unit(credentials.pid)
      return isAlive(pidfd) ? unit : nil
    }
    self = .process(uid: credentials.uid, unit: unit)
  }

  /// Returns the value of a socket option (`getsockopt`).
  /// - Parameter blank: Any value with the memory layout of the option.
  private static func ask<Value: BitwiseCopyable>(_ socket: CInt, _ option: CInt, _ blank: Value) throws -> Value {
    var value = blank
    var size = socklen_t(MemoryLayout<Value>.size)
    // SAFETY: the kernel writes at most `size` bytes, which is the size of `value`.
    guard unsafe getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 else {
      throw IOError(errnoCode: errno, reason: "getsockopt")
    }
    return value
  }

  /// Returns the systemd unit in the text of `/proc/PID/cgroup`; nil if the process does not belong to a system
  /// service. For example, the unit in `0::/system.slice/kiosk.service` is `kiosk.service`.
  ///
  /// Only slices may precede the unit in the path. A service or a scope chooses the names of its own child cgroups, so
  /// these names do not identify a unit.
  package static func systemUnit(inCgroups text: String) -> String? {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == "0", parts[1].isEmpty else { continue }
      let path = parts[2].split(separator: "/")
      guard path.first == "system.slice", let unit = path.first(where: { !$0.hasSuffix(".slice") }) else { return nil }
      return unit.hasSuffix(".service") ? String(unit) : nil
    }
    return nil
  }

  private static func systemUnit(ofProcess pid: Int32) -> String? {
    guard let bytes = try? OpenFile("/proc/\(pid)/cgroup").read(atMost: 4096) else { return nil }
    return systemUnit(inCgroups: String(decoding: bytes, as: UTF8.self))
  }
}

extension Peer {
  private init(ofUnixSocketOf channel: any Channel) throws {
    let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      try Peer(ofUnixSocket: $0)
    }
    guard let peer else { throw ChannelError.operationUnsupported }
    self = peer
  }

  /// Creates the peer of a connection: a process, or a network address. Throws an error if the kernel does not report
  /// the user or the address. Only the connection's event loop may call this initializer.
  package init(of channel: any Channel, over transport: Transport) throws {
    if channel.localAddress?.protocol == .unix {
      self = try Peer(ofUnixSocketOf: channel)
    } else if transport.identifiesProcess {
      self = .process(uid: try channel.peerUID)
    } else {
      guard let address = channel.remoteAddress.flatMap(NetworkAddress.init) else {
        throw ChannelError.unknownLocalAddress
      }
      // The lookup fails if the peer has closed its socket. The address of the peer is then the origin.
      self = .machine(address, uid: address.isLoopback ? try? channel.peerUID : nil)
    }
  }
}
