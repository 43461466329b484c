import Glibc

/// A socket in place of journald's. It parses entries as journald does.
final class FakeJournal: Sendable {
  let path: String
  private let descriptor: Int32

  struct Failure: Error { var number: Int32 }

  init() throws {
    path = "/tmp/onefix-journal-\(UInt64.random(in: .min ... .max))"
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    // The address is valid during the call.
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(2 + bytes.count))
      }
    }
    guard result == 0 else { throw Failure(number: errno) }
  }

  deinit {
    close(descriptor)
    _ = unsafe unlink(path)
  }

  /// Returns the fields of the next entry, or nil if there is none.
  func next() -> [String: String]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    // `recv` writes at most as many bytes as the array has.
    let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : Self.fields(of: buffer[..<count])
  }

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
