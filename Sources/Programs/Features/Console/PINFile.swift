import Glibc
import OperatingSystem

/// The file with the hash of the console's PIN. Only the owner of the file may have access.
package enum PINFile {
  /// Reads the hash of a PIN from a file.
  /// - Throws: `PINError` if the file cannot be read, if other users can access the file, or if its content is not a
  ///   hash.
  package static func read(_ path: String) throws(PINError) -> PINHash {
    let (mode, bytes): (mode_t, [UInt8]?)
    do throws(SystemFailure) {
      let file = try OpenFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      mode = try file.status().st_mode
      bytes = try file.isRegular ? file.read(atMost: 1024) : nil
    } catch {
      throw PINError.unreadable(path: path, cause: systemErrorText(error.number))
    }
    guard let bytes else { throw PINError.unreadable(path: path, cause: "not a regular file") }
    guard mode & 0o077 == 0 else { throw PINError.exposed(path: path) }
    guard let hash = PINHash(String(decoding: bytes, as: UTF8.self)) else {
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
