import Glibc

/// The service manager, which wants to hear how a service is. (systemd: sd_notify(3))
package struct ServiceManager: Sendable {
  /// The name of its socket; nil where there is none.
  private let socketName: String?

  package init(socketName: String?) {
    self.socketName = socketName
  }

  /// The one that has started this process.
  package static var own: ServiceManager {
    // The text is copied before anything else can change the environment.
    ServiceManager(socketName: unsafe getenv("NOTIFY_SOCKET").map { unsafe String(cString: $0) })
  }

  package var isThere: Bool { socketName != nil }

  /// Says it where one listens; nothing happens where none does. A status alone is not waited for: another follows.
  /// - Returns: whether it was taken.
  @discardableResult
  package func notify(_ message: String) -> Bool {
    guard let name = socketName else { return false }
    var address = sockaddr_un()
    let path = Array(name.utf8)
    guard (2..<MemoryLayout.size(ofValue: address.sun_path)).contains(path.count) else { return false }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      unsafe field.copyBytes(from: path)
      // A name that begins with @ is abstract: its first byte is NUL.
      if path[0] == UInt8(ascii: "@") { unsafe field[0] = 0 }
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let length = socklen_t(2 + path.count)
    let bytes = Array(message.utf8)
    let flags = Int32(MSG_NOSIGNAL) | (message.hasPrefix("STATUS=") ? Int32(MSG_DONTWAIT) : 0)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(descriptor, bytes, bytes.count, flags, address, length)
      }
    }
    return sent == bytes.count
  }
}
