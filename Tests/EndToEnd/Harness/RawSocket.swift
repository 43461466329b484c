import Glibc
import Synchronization

/// A peer that minds no manners.
final class RawSocket: Sendable {
  private let state: Mutex<Int32>
  private var descriptor: Int32 { state.withLock { $0 } }

  private init(_ descriptor: Int32) { state = Mutex(descriptor) }

  deinit { hangUp() }

  /// What was not read is lost, and resets the connection.
  func hangUp() {
    state.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  static func connect(_ path: String) throws -> RawSocket {
    let socket = try open()
    try unsafe withAddress(path) { address, length in
      // The address is good for the call, and the length its own.
      guard unsafe Glibc.connect(socket.descriptor, address, length) == 0 else { throw Child.Failure(number: errno) }
    }
    return socket
  }

  /// - Parameter backlog: how many may wait to be accepted.
  static func listen(_ path: String, backlog: Int32) throws -> RawSocket {
    let socket = try open()
    try unsafe withAddress(path) { address, length in
      // The address is good for the call, and the length its own.
      guard unsafe bind(socket.descriptor, address, length) == 0 else { throw Child.Failure(number: errno) }
    }
    guard Glibc.listen(socket.descriptor, backlog) == 0 else { throw Child.Failure(number: errno) }
    return socket
  }

  /// The next client; nil while there is none.
  func accept() -> RawSocket? {
    guard isReadable else { return nil }
    return Child.starting.withLock { _ in
      let accepted = Glibc.accept(descriptor, nil, nil)
      guard accepted >= 0 else { return nil }
      _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
      return RawSocket(accepted)
    }
  }

  /// Whether there is something to read, or the end.
  var isReadable: Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&watched, 1, 0) > 0
  }

  /// Whether the other side has closed, and all that it said was read.
  var hasEnded: Bool {
    var byte: UInt8 = 0
    while isReadable {
      let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
      if count == 0 || (count < 0 && errno != EAGAIN) { return true }
    }
    return false
  }

  /// What there is to read; a part of it where that is much.
  func receive() -> String {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    // The count is the array's own.
    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : ""
  }

  /// Sends as much as there is room for.
  /// - Returns: how many bytes; nil where the other side has closed.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Int? {
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    // The count is the array's own.
    let count = unsafe Glibc.send(descriptor, bytes, bytes.count, flags)
    return count >= 0 ? count : errno == EAGAIN ? 0 : nil
  }

  @discardableResult
  func send(_ text: String) -> Int? { send(Array(text.utf8)) }

  private static func open() throws -> RawSocket {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Child.Failure(number: errno) }
    return RawSocket(descriptor)
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
  ) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(107)) }
    try unsafe withUnsafePointer(to: &address) { pointer in
      try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
