import FoundationEssentials
package import Glibc

/// A directory for one test or measurement. The deinitializer removes it with its content.
package final class TemporaryDirectory: Sendable {
  package let path: String

  /// - Parameter parent: The folder of the directory, for example `/dev/shm` for a directory in memory.
  package init(in parent: String = "/tmp") throws {
    var template = [CChar]("\(parent)/onefix-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Failure(number: errno) }
    self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package struct Failure: Error { package let number: Int32 }

  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and creates its missing parent directories.
  package func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/\(part)"
      guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Failure(number: errno) }
    }
    let file = unsafe open(path(name), O_WRONLY | O_CREAT | O_TRUNC, mode)
    guard file >= 0 else { throw Failure(number: errno) }
    defer { close(file) }
    fchmod(file, mode)
    guard unsafe Glibc.write(file, bytes, bytes.count) == bytes.count else { throw Failure(number: errno) }
  }

  package func write(_ text: String, to name: String) throws { try write([UInt8](text.utf8), to: name) }

  package func makeFolder(_ name: String) throws {
    guard unsafe mkdir(path(name), 0o700) == 0 else { throw Failure(number: errno) }
  }

  /// Copies files from one folder into a new folder.
  package func copy(_ names: [String], from source: String, to target: String) throws {
    try makeFolder(target)
    for name in names { try write(read("\(source)/\(name)") ?? [], to: "\(target)/\(name)") }
  }

  /// Returns the content of a file. Nil if the file does not exist.
  package func read(_ name: String) -> [UInt8]? {
    let file = unsafe open(path(name), O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe Glibc.read(file, &part, part.count), count > 0 { bytes += part[..<count] }
    return bytes
  }

  /// The names in the directory, sorted.
  package var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  /// The paths in the directory that this process has open.
  package var openPaths: [String] {
    get throws {
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      // Another thread can close a descriptor before its path is read.
      return descriptors.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      .filter { $0.hasPrefix(path + "/") }
    }
  }

  /// Returns the permission bits of a file. Nil if the file does not exist.
  package func mode(_ name: String) -> mode_t? {
    var status = stat()
    return unsafe stat(path(name), &status) == 0 ? status.st_mode & 0o777 : nil
  }
}
