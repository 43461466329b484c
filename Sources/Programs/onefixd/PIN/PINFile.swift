import Glibc
import OperatingSystem

/// The file in which a PIN's hash is, its owner's alone.
package enum PINFile {
  /// - Throws: `PINError` where it cannot be read, others may use it, or it holds something else.
  package static func read(_ path: String) throws(PINError) -> PINHash {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { throw PINError.unreadable(path: path, cause: systemErrorText(errno)) }
    defer { close(file) }
    var status = stat()
    // The pointer is good for the call.
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw PINError.unreadable(path: path, cause: "it is no regular file")
    }
    guard status.st_mode & 0o077 == 0 else { throw PINError.exposed(path: path) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    // Reads into the array's own storage, no more than it has.
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    guard count >= 0 else { throw PINError.unreadable(path: path, cause: systemErrorText(errno)) }
    guard let hash = PINHash(String(decoding: bytes.prefix(count), as: UTF8.self)) else {
      throw PINError.malformed(path: path)
    }
    return hash
  }

  /// Puts a file in the place of the one that is there, whole or not at all.
  /// - Parameter owner: whom it shall belong to; nil for this process's user.
  /// - Throws: `PINError.unwritable`
  package static func write(
    _ hash: PINHash, to path: String, owner: (uid: UInt32, gid: UInt32)? = nil
  ) throws(PINError) {
    do throws(AtomicFile.Failure) {
      try AtomicFile(path: path).write(Array("\(hash)\n".utf8), mode: 0o600, owner: owner, isDurable: true)
    } catch {
      throw PINError.unwritable(path: path, cause: systemErrorText(error.number))
    }
  }
}
