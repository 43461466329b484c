import Glibc

/// A directory that a test has for itself; its end removes it with all that is in it.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = [CChar]("/tmp/onefix-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Failure(number: errno) }
    self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove(path) }

  struct Failure: Error { let number: Int32 }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, in folders that are made where they do not exist.
  func write(_ text: String, to name: String) throws {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/\(part)"
      guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Failure(number: errno) }
    }
    let file = unsafe open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw Failure(number: errno) }
    defer { close(file) }
    let bytes = [UInt8](text.utf8)
    guard unsafe Glibc.write(file, bytes, bytes.count) == bytes.count else { throw Failure(number: errno) }
  }

  /// Removes a file, or a directory with all that is in it. Links are removed, never followed.
  private func remove(_ path: String) {
    guard unsafe unlink(path) != 0, let directory = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { remove("\(path)/\(name)") }
    }
    unsafe closedir(directory)
    _ = unsafe rmdir(path)
  }
}
