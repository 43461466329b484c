import Glibc

/// Functions for error messages about a Unix socket of the gateway that this process may not open.
package enum SocketPermission {
  /// The groups that can own the sockets of the gateway. An error message never suggests to add a user to another
  /// group.
  private static let groups: Set = ["onefix", "onefix-owner"]

  /// Returns the hint of an error message about a socket that the user of this process may not open. The hint is a
  /// command that gives the permission, or the statement that the user has no permission.
  package static func remedy(for path: String) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let closed = unsafe access(folder, X_OK) == 0 ? path : folder
    var status = stat()
    guard unsafe stat(closed, &status) == 0, let group = groupName(status.st_gid), groups.contains(group),
      let user = userName(geteuid())
    else { return "this user may not open \(closed)" }
    return "sudo adduser \(user) \(group), then log in again"
  }

  private static func userName(_ number: uid_t) -> String? {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferSize) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      // SAFETY: the name is in the buffer, and is copied before the end of the closure.
      let code = unsafe getpwuid_r(number, &entry, base, buffer.count, &found)
      return unsafe code == 0 && found != nil ? String(cString: entry.pw_name) : nil
    }
  }

  private static func groupName(_ number: gid_t) -> String? {
    var entry = unsafe group()
    var found: UnsafeMutablePointer<group>?
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferSize) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      // SAFETY: the name is in the buffer, and is copied before the end of the closure.
      let code = unsafe getgrgid_r(number, &entry, base, buffer.count, &found)
      return unsafe code == 0 && found != nil ? String(cString: entry.gr_name) : nil
    }
  }

  /// The size of the buffer for a user or group entry in bytes, enough for a group with thousands of members.
  private static let bufferSize = 65_536
}
