import Glibc
import OperatingSystem

/// The file with the hash of the console's PIN. Only the owner of the file may have access.
package enum PINFile {
  /// Reads the hash of a PIN from a file.
  /// - Throws: `PINError` if the file cannot be read, if other users can access the file, or if its content is not a
  ///   hash.
  package static func read(_ path: String) throws(PINError) -> PINHash {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { throw PINError.unreadable(path: path, cause: systemErrorText(errno)) }
    defer { close(file) }
    var status = stat()
    // The pointer that the C function receives is valid during the call.
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw PINError.unreadable(path: path, cause: "not a regular file")
    }
    guard status.st_mode & 0o077 == 0 else { throw PINError.exposed(path: path) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    // `read` writes at most `bytes.count` bytes into the array.
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    guard count >= 0 else { throw PINError.unreadable(path: path, cause: systemErrorText(errno)) }
    guard let hash = PINHash(String(decoding: bytes.prefix(count), as: UTF8.self)) else {
      throw PINError.malformed(path: path)
    }
    return hash
  }

  /// Writes the hash of a PIN to a file, and replaces a former file atomically.
  /// - Parameter owner: The owner of the new file; nil for the user of this process.
  /// - Throws: `PINError.unwritable`
  package static func write(
    _ hash: PINHash, to path: String, owner: (uid: UInt32, gid: UInt32)? = nil
  ) throws(PINError) {
    do throws(SystemFailure) {
      try AtomicFile(path: path).write(Array("\(hash)\n".utf8), mode: 0o600, owner: owner, isDurable: true)
    } catch {
      throw PINError.unwritable(path: path, cause: systemErrorText(error.number))
    }
  }
}
