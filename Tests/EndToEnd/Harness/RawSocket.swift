import Glibc
import Synchronization

/// A socket for tests that break the rules of the protocol.
final class RawSocket: Sendable {
  private let state: Mutex<Int32>
  private var descriptor: Int32 { state.withLock { $0 } }

  private init(_ descriptor: Int32) { state = Mutex(descriptor) }

  deinit { hangUp() }

  /// Closes the socket. Unread data is lost and resets the connection.
  func hangUp() {
    state.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  static func connect(_ path: String) throws -> RawSocket {
    let socket = try open()
    try unsafe withAddress(path) { address, length in
      // The pointer is valid during the call, and the length is that of the address.
      guard unsafe Glibc.connect(socket.descriptor, address, length) == 0 else { throw Child.Failure(number: errno) }
    }
    return socket
  }

  /// - Parameter backlog: The number of connections that can wait for `accept`.
  static func listen(_ path: String, backlog: Int32) throws -> RawSocket {
    let socket = try open()
    try bind(socket.descriptor, to: path)
    guard Glibc.listen(socket.descriptor, backlog) == 0 else { throw Child.Failure(number: errno) }
    return socket
  }

  /// Whether there is data, or the end of the data, to read.
  var isReadable: Bool { isReadable(within: 0) }

  /// Blocks the thread until there is data, or the end of the data, to read.
  func isReadable(within milliseconds: Int32) -> Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&watched, 1, milliseconds) > 0
  }

  /// Whether the other side has closed the connection and all its data was read.
  var hasEnded: Bool {
    var byte: UInt8 = 0
    while isReadable {
      let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
      if count == 0 || (count < 0 && errno != EAGAIN) { return true }
    }
    return false
  }

  /// Returns the available data, or a part of it if there is much.
  func receive() -> String {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    // The count is that of the array.
    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : ""
  }

  /// Sends as many bytes as fit into the buffer of the socket.
  /// - Returns: The number of bytes. Nil if the other side has closed the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Int? {
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    // The count is that of the array.
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

  static func bind(_ descriptor: Int32, to path: String) throws {
    try unsafe withAddress(path) { address, length in
      // The pointer is valid during the call, and the length is that of the address.
      guard unsafe Glibc.bind(descriptor, address, length) == 0 else { throw Child.Failure(number: errno) }
    }
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
