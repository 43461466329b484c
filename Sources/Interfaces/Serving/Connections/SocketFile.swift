import Glibc
import NIOCore
package import NIOPosix
import OperatingSystem
import Ports
import Synchronization

/// The file of a Unix socket on which the daemon listens.
package struct SocketFile: Sendable {
  package let path: String
  /// The inode number of the file. If the file has another inode number later, another daemon has replaced the file.
  private let inode: UInt64

  private static let groups = Mutex(())

  /// The users who may connect to a Unix socket.
  package enum Access {
    /// The members of the group `onefix-owner`. If this group cannot be used, only the daemon's user may connect.
    case owner
    /// The members of the group `onefix`. If this group cannot be used, all users may connect.
    case apps
    /// All users, for the socket of a single app. The gateway then identifies the app by the user of its process.
    /// Groups are not suitable, because a container has other groups than this machine.
    case app
  }

  /// Sets the permissions of the file of a new socket.
  /// - Parameter choice: The words in an error message that say where the owner (administrator) configures the path,
  ///   for example "with --socket".
  package init(_ path: String, for access: Access, choice: String = "with --socket") throws {
    let mode =
      switch access {
      case .owner: SocketFile.mode(of: path, sharedBy: "onefix-owner", otherwise: 0o600)
      case .apps: SocketFile.mode(of: path, sharedBy: "onefix", otherwise: 0o666)
      case .app: 0o666 as mode_t
      }
    var status = stat()
    guard SocketFile.setMode(mode, of: path) == 0, unsafe lstat(path, &status) == 0 else {
      throw ListenError(
        address: path, cause: systemErrorText(errno),
        remedy: "choose another path \(choice)")
    }
    self.path = path
    inode = UInt64(status.st_ino)
  }

  /// Changes the group of a file, and returns the permissions with which only the daemon's user and the members of the
  /// group may connect.
  /// - Parameter mode: The result if the group does not exist, or if the daemon's user is not a member.
  static func mode(of path: String, sharedBy name: String, otherwise mode: mode_t) -> mode_t {
    let group = groups.withLock { _ in
      // SAFETY: `getgrnam` is not thread-safe. The lock makes one call at a time, and the result is copied inside.
      unsafe getgrnam(name).map { unsafe $0.pointee.gr_gid }
    }
    guard let group else { return mode }
    return unsafe fchownat(AT_FDCWD, path, .max, group, AT_SYMLINK_NOFOLLOW) == 0 ? 0o660 : mode
  }

  /// Sets the permissions of a file or a folder. Returns 0, or -1 if the system call fails or the path is a symbolic
  /// link.
  ///
  /// Symbolic links are not followed, because a program could replace the socket by a link to another file.
  private static func setMode(_ mode: mode_t, of path: String) -> Int32 {
    unsafe fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW)
  }

  package func remove() {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, UInt64(status.st_ino) == inode else { return }
    _ = unsafe unlink(path)
  }

  /// Prepares a path for a new socket: creates missing folders, and removes an old socket on which no process listens.
  /// - Parameter choice: The words in an error message that say where the owner (administrator) configures the path,
  ///   for example "with --socket".
  /// - Throws: `ListenError`.
  package static func prepare(
    _ path: String, group: MultiThreadedEventLoopGroup, choice: String = "with --socket"
  ) async throws {
    guard path.utf8.count <= SocketPath.maximumLength else {
      throw ListenError(
        address: path,
        cause: "the path has \(path.utf8.count) bytes, but the path of a socket can have at most "
          + "\(SocketPath.maximumLength)", remedy: "choose a shorter path \(choice)")
    }
    var status = stat()
    for slash in path.indices.dropFirst() where path[slash] == "/" {
      let folder = String(path[..<slash])
      guard unsafe mkdir(folder, 0o755) == 0 else {
        guard errno == EEXIST else {
          throw ListenError(
            address: path, cause: "cannot create the folder \(folder): \(systemErrorText(errno))",
            remedy: "create the folder, or choose another path \(choice)")
        }
        guard unsafe stat(folder, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
          throw ListenError(
            address: path, cause: "\(folder) is a file and not a folder",
            remedy: "move that file away, or choose another path \(choice)")
        }
        continue
      }
      // Apps of other users must be able to reach the socket, so the permissions do not depend on the umask.
      _ = setMode(0o755, of: folder)
    }
    guard unsafe lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ListenError(
        address: path, cause: "the path is a file that is not a socket",
        remedy: "remove the file, or choose another path \(choice)")
    }
    do {
      let channel = try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get()
      try? await channel.close().get()
    } catch let error as IOError where error.errnoCode == ECONNREFUSED {
      // Only `ECONNREFUSED` means that no process listens. After other errors, a busy daemon may still listen.
      _ = unsafe unlink(path)
      return
    } catch {}
    throw ListenError(
      address: path, .taken, cause: "another daemon listens on it",
      remedy: "stop that daemon, or choose another path \(choice)")
  }
}
