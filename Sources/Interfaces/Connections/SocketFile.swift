import Glibc
import NIOCore
package import NIOPosix
import OperatingSystem

/// The failure to open a listener.
package struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A path, or an address with its port.
  package var place: String
  package var cause: String
  package var remedy: String

  package init(place: String, cause: String, remedy: String) {
    self.place = place
    self.cause = cause
    self.remedy = remedy
  }

  /// - Parameter error: of the system, or of SwiftNIO.
  package init(place: String, _ error: any Error, remedy: String) {
    let cause = (error as? IOError).map { systemErrorText($0.errnoCode) } ?? "\(error)"
    self.init(place: place, cause: cause, remedy: remedy)
  }

  package var description: String { "cannot listen on \(place): \(cause) (\(remedy))" }
}

/// The name of a Unix socket in the file system.
package struct SocketFile: Sendable {
  package let path: String
  /// The identity of the socket. Another daemon may have replaced the file since the start.
  private let inode: UInt64

  /// The access to a socket.
  package enum Access {
    /// For the group `onefix-owner`, if it exists and the daemon's user is a member; otherwise for that user alone.
    case owner
    /// For the group `onefix`, if it exists; otherwise for all users, since the kernel identifies them.
    case apps
  }

  /// Sets the access to a socket that was just bound.
  /// - Throws: `ListenError`
  package init(_ path: String, for access: Access) throws {
    let mode: mode_t
    switch access {
    case .owner: mode = SocketFile.give(path, to: "onefix-owner") ? 0o660 : 0o600
    case .apps: mode = SocketFile.give(path, to: "onefix") ? 0o660 : 0o666
    }
    var status = stat()
    guard unsafe chmod(path, mode) == 0, unsafe lstat(path, &status) == 0 else {
      throw ListenError(
        place: path, cause: systemErrorText(errno),
        remedy: "choose another path with --socket")
    }
    self.path = path
    inode = UInt64(status.st_ino)
  }

  /// Changes the group of a file.
  /// - Returns: false if there is no such group, or the user is no member.
  private static func give(_ path: String, to name: String) -> Bool {
    // Called once at the start, before other threads could call it.
    guard let group = unsafe getgrnam(name).map({ unsafe $0.pointee.gr_gid }) else { return false }
    return unsafe chown(path, .max, group) == 0
  }

  package func remove() {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, UInt64(status.st_ino) == inode else { return }
    _ = unsafe unlink(path)
  }

  /// Makes the folder if it is missing, and removes a socket on which no process listens.
  /// - Throws: `ListenError`
  package static func prepare(_ path: String, group: MultiThreadedEventLoopGroup) async throws {
    guard path.utf8.count <= 107 else {
      throw ListenError(
        place: path, cause: "the path has \(path.utf8.count) bytes, a socket's has at most 107",
        remedy: "choose a shorter path with --socket")
    }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      let folder = String(path[..<slash])
      // Apps of other users must be able to reach the socket, independent of the umask.
      if unsafe mkdir(folder, 0o755) == 0 { _ = unsafe chmod(folder, 0o755) }
    }
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ListenError(
        place: path, cause: "there is a file of that name that is no socket",
        remedy: "remove it, or choose another path with --socket")
    }
    do {
      let channel = try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get()
      try? await channel.close().get()
    } catch let error as IOError where error.errnoCode == ECONNREFUSED {
      // Only this error means that no process listens; a daemon of another user, or a busy one, causes other errors.
      _ = unsafe unlink(path)
      return
    } catch {}
    throw ListenError(
      place: path, cause: "another daemon is listening there", remedy: "stop it, or choose another path with --socket")
  }
}
