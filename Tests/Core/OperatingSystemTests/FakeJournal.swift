import Glibc

/// A socket that receives datagrams, in place of the socket of a service.
final class DatagramSocket: Sendable {
  /// The path, or `@` and an abstract name.
  let name: String
  private let descriptor: Int32

  struct Failure: Error { var number: Int32 }

  init(isAbstract: Bool = false) throws {
    let path = "/tmp/onefix-datagrams-\(UInt64.random(in: .min ... .max))"
    name = isAbstract ? "@\(path)" : path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = (isAbstract ? [0] : []) + Array(path.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let length = socklen_t(2 + bytes.count)
    // The address is valid during the call.
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
    }
    guard result == 0 else { throw Failure(number: errno) }
  }

  deinit {
    close(descriptor)
    // An abstract name has no file.
    _ = unsafe unlink(name)
  }

  /// Returns the next datagram that has already arrived, or nil.
  func next() -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    // `recv` writes at most as many bytes as the array has.
    let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : buffer[..<count]
  }
}

/// A socket in place of journald's. It parses entries as journald does.
struct FakeJournal {
  private let socket: DatagramSocket

  init() throws { socket = try DatagramSocket() }

  var path: String { socket.name }

  /// Returns the fields of the next entry, or nil if there is none.
  func next() -> [String: String]? { socket.next().map(Self.fields) }

  private static func fields(of bytes: ArraySlice<UInt8>) -> [String: String] {
    var fields: [String: String] = [:]
    var rest = bytes
    while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "\n") }) {
      let name = String(decoding: rest[..<end], as: UTF8.self)
      let value: ArraySlice<UInt8>
      if rest[end] == UInt8(ascii: "=") {
        value = rest[(end + 1)...].prefix { $0 != UInt8(ascii: "\n") }
      } else {
        let length = rest[(end + 1)...].prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        value = rest[(end + 9)...].prefix(length)
      }
      fields[name] = String(decoding: value, as: UTF8.self)
      rest = rest[value.endIndex...].dropFirst()
    }
    return fields
  }
}
