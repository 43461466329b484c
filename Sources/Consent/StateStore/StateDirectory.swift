import Glibc

/// The files of a state directory, and their readiness for the database.
struct StateDirectory {
  let path: String

  init(_ path: String) {
    self.path = path
  }

  var database: String { path + "/onefix.sqlite" }
  var lock: String { path + "/onefix.lock" }
  var reserve: String { path + "/onefix.reserve" }

  /// Makes the directory, and those above it, where they do not exist yet.
  func make() throws(StoreError) {
    let remedy = "make it writable for this user, or name another with --state"
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
      try synchronizeDirectory(parent(of: directory))
    }
    // Says "not a directory" where it is something else.
    do {
      _ = try FileDescriptor("use the state directory", path + "/.", O_RDONLY | O_DIRECTORY)
    } catch {
      throw StoreError(error.kind, error.operation, path, cause: error.cause, remedy: remedy)
    }
  }

  /// Makes an empty database file where there is none, which only its owner may read.
  /// - Throws: `StoreError` where the file is something else; it is left as it was.
  func prepareDatabase() throws(StoreError) {
    let file = try FileDescriptor(
      "open", database, O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o600,
      remedy: "it must be writable for this user")
    let status = try file.status(of: database)
    let magic = [UInt8]("SQLite format 3\0".utf8)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.damaged, "open", database, cause: "it is no regular file", remedy: StateDirectory.remedy)
    }
    if status.st_size > 0, try file.read(atMost: magic.count, of: database) != magic {
      throw StoreError(.damaged, "open", database, cause: "it is no SQLite database", remedy: StateDirectory.remedy)
    }
    if status.st_size == 0 { try synchronizeDirectory(path) }
  }

  /// What SQLite has beside the database while it is open, and after a power cut.
  private var companions: [String] { [database + "-wal", database + "-shm"] }

  /// Those that are there.
  var besideDatabase: Set<String> { Set(companions.filter { unsafe access($0, F_OK) == 0 }) }

  /// Sees to it that only its owner may read the database, and what is beside it.
  func keepOthersOut() throws(StoreError) {
    for file in [database] + companions {
      guard unsafe chmod(file, 0o600) == 0 || errno == ENOENT else {
        throw StoreError("keep other users from", file, errno: errno, remedy: "it must belong to this user")
      }
    }
  }

  /// What to do about a database that cannot be read.
  static let remedy = "restore it from a backup, or move it away: every app then has to ask anew"
}
