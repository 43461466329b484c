import Glibc

/// Reads a file descriptor until its end.
/// - Parameter limit: The count of bytes after which the function stops early. The result can be up to 16,384 bytes
///   longer.
/// - Throws: `SystemFailure` if a read fails.
package func readToEnd(_ descriptor: Int32, limit: Int = .max) throws(SystemFailure) -> [UInt8] {
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 16_384)
  while bytes.count <= limit {
    // SAFETY: `read` writes at most `part.count` bytes into `part`.
    let count = unsafe read(descriptor, &part, part.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw SystemFailure(number: errno) }
    guard count > 0 else { break }
    bytes += part[..<count]
  }
  return bytes
}
