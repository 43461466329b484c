import Glibc
import OperatingSystem

enum ConfigurationFile {
  private static let largest = 1024 * 1024

  /// Returns the contents of a file of at most 1 MiB; nil if the file does not exist.
  static func read(_ path: String) throws(ConfigurationError) -> [UInt8]? {
    let contents: [UInt8]?
    do throws(SystemFailure) {
      let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
      contents = try file.isRegular ? file.read(atMost: largest + 1) : nil
    } catch {
      if error.number == ENOENT || error.number == ENOTDIR { return nil }
      throw ConfigurationError(file: path, "cannot read the file: \(reason(error.number))")
    }
    guard let contents else { throw ConfigurationError(file: path, "not a regular file") }
    guard contents.count <= largest else {
      throw ConfigurationError(file: path, "the file is larger than \(largest / 1024) KiB")
    }
    return contents
  }

  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// Returns the numeric id of a user from the user database of this machine; nil if the user does not exist.
  static func uid(named name: String) -> UInt32? {
    var entry = unsafe passwd()
    var result: UnsafeMutablePointer<passwd>?
    // The entry of a user has no list of members, and is always much smaller.
    let size = 65_536
    // SAFETY: the buffer is valid during the call, and no pointer into it is stored.
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      return unsafe getpwnam_r(name, &entry, base, size, &result) == 0 && result != nil ? entry.pw_uid : nil
    }
  }

  private static func reason(_ code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "permission denied (the file must be readable for this user)"
    default: systemErrorText(code)
    }
  }
}
