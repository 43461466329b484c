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

  /// Says it where one listens; nothing happens where none does.
  package func notify(_ message: String) {
    guard let name = socketName else { return }
    var address = sockaddr_un()
    let path = Array(name.utf8)
    guard (2..<MemoryLayout.size(ofValue: address.sun_path)).contains(path.count) else { return }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      unsafe field.copyBytes(from: path)
      // A name that begins with @ is abstract: its first byte is NUL.
      if path[0] == UInt8(ascii: "@") { unsafe field[0] = 0 }
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let length = socklen_t(2 + path.count)
    let bytes = Array(message.utf8)
    _ = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
  }
}
