import Glibc
import OperatingSystem

struct StateDirectory {
  let path: String

  init(_ path: String) {
    self.path = path
  }

  var database: String { path + "/onefix.sqlite" }
  var lock: String { path + "/onefix.lock" }
  var reserve: String { path + "/onefix.reserve" }

  func make() throws(StoreError) {
    let remedy = "make it a folder that this user can write, or choose another one with --state"
    var missing: [String] = []
    var next = path
    while unsafe access(next, F_OK) != 0, next != ".", next != "/" {
      missing.append(next)
      next = parent(of: next)
    }
    for directory in missing.reversed() {
      guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else {
        throw StoreError("make the state directory", path, errno: errno, remedy: remedy)
      }
      try synchronize(directory: parent(of: directory))
    }
    // If the path is not a directory, this call fails with "not a directory".
    do {
      _ = try FileDescriptor("use the state directory", path + "/.", O_RDONLY | O_DIRECTORY)
    } catch {
      throw StoreError(error.kind, error.operation, path, cause: error.cause, remedy: remedy)
    }
  }

  /// Creates an empty database file, which only its owner can read, if the file does not exist. Returns whether the
  /// file is empty. Throws `StoreError` if an existing file is not a database.
  func prepareDatabase() throws(StoreError) -> Bool {
    let file = try FileDescriptor(
      "open", database, O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o600, remedy: StoreError.permissionRemedy)
    let status = try file.status(of: database)
    let magic = [UInt8]("SQLite format 3\0".utf8)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.damaged, "open", database, cause: "it is not a regular file", remedy: StateDirectory.remedy)
    }
    if status.st_size > 0, try file.read(atMost: magic.count, of: database) != magic {
      throw StoreError(.damaged, "open", database, cause: "it is not an SQLite database", remedy: StateDirectory.remedy)
    }
    if status.st_size == 0 { try synchronize(directory: path) }
    return status.st_size == 0
  }

  /// The paths of the write-ahead log and the shared memory of SQLite. These files remain after a power loss.
  private var companions: [String] { [database + "-wal", database + "-shm"] }

  var existingCompanions: Set<String> { Set(companions.filter { unsafe access($0, F_OK) == 0 }) }

  /// Makes the files of the database accessible only for their owner.
  func restrictPermissions() throws(StoreError) {
    for file in [database] + existingCompanions {
      guard unsafe chmod(file, 0o600) == 0 else {
        throw StoreError("restrict the permissions of", file, errno: errno, remedy: "make this user its owner")
      }
    }
  }

  /// SQLite would write a remaining write-ahead log (WAL) into the restored database.
  static let remedy =
    "move it and the file onefix.sqlite-wal away, and restore it and the anchor from one backup; without a backup, "
    + "start onefixd once with --renew-anchor, then every app must ask again: man onefixd, EXAMPLES"
}
