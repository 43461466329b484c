import Glibc
import Testing

/// A file that exists as long as the test.
final class TemporaryFile {
  let path: String

  init(_ bytes: [UInt8]) throws {
    var template = Array("/tmp/onefix-replay-XXXXXX".utf8CString)
    // The template is writable and zero-terminated.
    let descriptor = unsafe mkstemp(&template)
    try #require(descriptor >= 0)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    // The count is the length of the array.
    let written = unsafe write(descriptor, bytes, bytes.count)
    close(descriptor)
    try #require(written == bytes.count)
  }

  deinit {
    unsafe unlink(path)
  }
}
