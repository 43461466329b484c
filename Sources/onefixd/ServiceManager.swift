import Glibc

/// What a service manager wants to hear. (systemd: sd_notify(3))
enum ServiceManager {
  /// Says it where one listens; nothing happens where none does.
  static func notify(_ message: String) {
    guard let value = unsafe getenv("NOTIFY_SOCKET") else { return }
    let name = unsafe String(cString: value)
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

/// To people, apart from the output.
func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
