import Base
import Glibc
import OperatingSystem
import Synchronization
import TemporaryFiles
import Testing

@testable import StateStore

/// Runs the body. Before each change of a file, `attempt` decides the error number of the change; 0 allows the change.
func observingFiles<Result>(
  _ attempt: @escaping @Sendable (FileStep) -> Int32, _ body: () throws -> Result
) rethrows -> Result {
  try FileObserver.$present.withValue(FileObserver(attempt: attempt)) { try body() }
}

// MARK: Files

@Test func `the error number of an earlier call has no effect on a file`() throws {
  let directory = try TemporaryDirectory()
  let path = directory.path("file")
  try directory.write([1], to: "file")
  // A call that failed with this error would be repeated.
  errno = EINTR
  let file = try FileDescriptor("open", path, O_RDWR)
  errno = EINTR
  try file.write([7], to: path)
  errno = EINTR
  let bytes = try file.read(atMost: 9, of: path)
  #expect(bytes == [7])
  errno = 0
  try removeFile(path)
  #expect(directory.names == [])
  try removeFile(path)
}

@Test func `a read, a write or a removal that fails gives the error of the system`() throws {
  let directory = try TemporaryDirectory()
  #expect(throws: StoreError("read", directory.path, errno: EISDIR)) {
    _ = try FileDescriptor("open", directory.path, O_RDONLY).read(atMost: 1, of: directory.path)
  }
  #expect(throws: StoreError("write", "/dev/full", errno: ENOSPC)) {
    try FileDescriptor("open", "/dev/full", O_WRONLY).write([1], to: "/dev/full")
  }
  #expect(throws: StoreError("remove", directory.path, errno: EISDIR)) { try removeFile(directory.path) }
}

@Test func `a state directory and its new parents have mode 0700, and all its files have mode 0600`() throws {
  let directory = try TemporaryDirectory()
  for _ in 0..<2 { try StateStore.makeDirectory(directory.path("a/b")) }
  #expect(directory.mode("a") == 0o700 && directory.mode("a/b") == 0o700)
  let state = try TemporaryDirectory()
  let store = try state.open()
  try store.saveLock(true)
  #expect(
    state.names == ["onefix.lock", "onefix.reserve", "onefix.sqlite", "onefix.sqlite-shm", "onefix.sqlite-wal"])
  for name in state.names { #expect(state.mode(name) == 0o600, "\(name)") }
  store.close()
}

@Test func `a new state directory and its database are put on the disk, and later starts need no further change`()
  throws
{
  let directory = try TemporaryDirectory(in: "/dev/shm")
  let files = StateDirectory(directory.path("a/b"))
  let lockSteps = [FileStep.write(files.lock, offset: 0, bytes: [UInt8]("\(getpid())\n".utf8))]
  let first: [FileStep] =
    [.synchronizeDirectory(directory.path), .synchronizeDirectory(directory.path("a")), .create(files.lock)]
    + lockSteps
    + [
      .create(files.database), .synchronizeDirectory(files.path), .create(files.reserve),
      .allocate(files.reserve, count: Reserve.byteCount),
    ]
  for expected in [first, lockSteps, lockSteps] {
    let steps = Mutex<[FileStep]>([])
    try observingFiles({ step in
      steps.withLock { $0.append(step) }
      if step == .synchronizeDirectory(files.path) { #expect(directory.mode("a/b/onefix.sqlite") == 0o600) }
      return 0
    }) { try StateStore(directory: files.path, key: key, now: clock()).close() }
    #expect(steps.withLock { $0 } == expected)
  }
}

@Test func `permissions that cannot be restricted are an error`() throws {
  let directory = try TemporaryDirectory()
  let files = StateDirectory(directory.path)
  #expect(
    throws: StoreError("restrict the permissions of", files.database, errno: ENOENT, remedy: "make this user its owner")
  ) { try files.restrictPermissions() }
}

@Test func `a database that is not a regular file is damaged`() throws {
  let directory = try TemporaryDirectory()
  let path = directory.path("onefix.sqlite")
  _ = unsafe mkfifo(path, 0o600)
  #expect(
    throws: StoreError(.damaged, "open", path, cause: "it is not a regular file", remedy: StateDirectory.remedy)
  ) { try directory.open() }
}

// MARK: The lock

@Test func `the lock file contains only the identifier of the process that holds the lock`() throws {
  let directory = try TemporaryDirectory()
  try directory.write("123456789012\n", to: "onefix.lock")
  let lock = try StateLock(directory.path("onefix.lock"))
  #expect(directory.read("onefix.lock") == [UInt8]("\(getpid())\n".utf8))
  for (content, cause) in [
    ("", "another process uses it"), ("one\n", "another process uses it"), ("1\n2", "another process uses it: pid 1"),
    ("2147483647\n", "another process uses it: pid 2147483647"),
  ] {
    try directory.write(content, to: "onefix.lock")
    let error = try #require(throws: StoreError.self) { try StateLock(directory.path("onefix.lock")) }
    #expect(error.kind == .busy && error.cause == cause)
  }
  withExtendedLifetime(lock) {}
}

@Test func `the lock is released at its end, even if a child process still has its file open`() throws {
  let directory = try TemporaryDirectory()
  let path = directory.path("onefix.lock")
  var lock: StateLock? = try StateLock(path)
  var held = stat()
  try #require(unsafe stat(path, &held) == 0)
  // A child process shares the open file of its parent, as a duplicate of the descriptor does.
  let descriptor = try #require(
    (Int32(0)..<65_536).first { number in
      var status = stat()
      return unsafe fstat(number, &status) == 0 && status.st_ino == held.st_ino && status.st_dev == held.st_dev
    })
  let child = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
  try #require(child >= 0)
  defer { close(child) }
  #expect(throws: StoreError.self) { try StateLock(path) }
  withExtendedLifetime(lock) {}
  lock = nil
  _ = try StateLock(path)
}

// MARK: The reserve

@Test func `the reserve is complete if it has blocks for 1 MiB, and is then not written again`() throws {
  let directory = try TemporaryDirectory(in: "/dev/shm")
  let reserve = Reserve(path: directory.path("onefix.reserve"))
  #expect(!reserve.isComplete)
  do {
    let file = try FileDescriptor("open", reserve.path, O_RDWR | O_CREAT, mode: 0o600)
    #expect(ftruncate(file.number, 1 << 20) == 0)
    #expect(!reserve.isComplete, "the file has the size, but no blocks")
    try file.allocate(15 << 16, of: reserve.path)
    #expect(!reserve.isComplete, "the file lacks the last 64 KiB")
  }
  try reserve.allocate()
  #expect(reserve.isComplete && directory.read("onefix.reserve")?.count == 1 << 20)
  let steps = Mutex<[FileStep]>([])
  try observingFiles({ step in
    steps.withLock { $0.append(step) }
    return 0
  }) { try reserve.allocate() }
  #expect(steps.withLock { $0 } == [])
  try reserve.release()
  #expect(!reserve.isComplete && directory.names == [])
}

@Test func `if the reserve cannot be created, the error has the remedy of its cause, and no incomplete file stays`()
  throws
{
  let directory = try TemporaryDirectory()
  let reserve = Reserve(path: directory.path("onefix.reserve"))
  for (isCreated, code, cause) in [
    (true, ENOSPC, "no space left on device (free space on its file system)"),
    (false, EACCES, "permission denied (make the state directory and its files writable for this user)"),
  ] {
    let error = try #require(throws: StoreError.self) {
      try observingFiles({ step in
        switch step {
        case .create: isCreated ? 0 : code
        case .allocate: code
        default: 0
        }
      }) { try reserve.allocate() }
    }
    #expect(error.kind == (isCreated ? .full : .notPermitted))
    #expect(error.description == "cannot reserve 1 MiB for revocations in \(reserve.path): \(cause)")
    #expect(directory.names == [])
  }
}

// MARK: The files of another user

/// The file of the lock and the database can belong to another user although the directory is right.
@Test(arguments: ["onefix.lock", "onefix.sqlite"])
func `if a file of the state cannot be created, the remedy names the directory and its files`(name: String) throws {
  let directory = try TemporaryDirectory()
  let path = directory.path(name)
  let error = try #require(throws: StoreError.self) {
    try observingFiles({ step in step == .create(path) ? EACCES : 0 }) { try directory.open() }
  }
  #expect(error.object == path && error.kind == .notPermitted)
  #expect(error.remedy == "make the state directory and its files writable for this user")
}

// MARK: Errors

@Test(
  arguments: [
    (ENOENT, .absent, "R"), (ENOTDIR, .absent, "R"), (EACCES, .notPermitted, "R"), (EPERM, .notPermitted, "R"),
    (ELOOP, .notPermitted, "put the file in place of the symbolic link"),
    (EROFS, .notPermitted, StoreError.readOnlyRemedy),
    (ENOSPC, .full, StoreError.fullDiskRemedy), (EDQUOT, .full, StoreError.fullDiskRemedy),
    (EFBIG, .full, StoreError.fullDiskRemedy), (EIO, .failed, "check the kernel log for disk errors"),
    (EISDIR, .failed, "R"),
  ] as [(Int32, StoreError.Kind, String)])
func `an error of the system has a kind, and a remedy that fits its cause`(
  code: Int32, kind: StoreError.Kind, remedy: String
) {
  let error = StoreError("open", "/a", errno: code, remedy: "R")
  #expect(error.kind == kind && error.remedy == remedy)
}

/// The codes are those of sqlite3.h. 778 and 261 are extended codes: SQLITE_IOERR_WRITE and SQLITE_BUSY_RECOVERY.
@Test(
  arguments: [
    (13, 0, .full), (778, ENOSPC, .full), (778, EDQUOT, .full), (778, EFBIG, .full), (778, EIO, .failed),
    (778, EROFS, .notPermitted), (1, ENOSPC, .failed), (11, 0, .damaged), (26, 0, .damaged), (3, 0, .notPermitted),
    (8, 0, .notPermitted), (14, 0, .notPermitted), (23, 0, .notPermitted), (5, 0, .busy), (6, 0, .busy),
    (261, 0, .busy), (1, 0, .failed), (14, EROFS, .notPermitted),
    // An earlier error has set the error number of the system.
    (5, EROFS, .busy), (11, EROFS, .damaged), (1, EROFS, .failed),
  ] as [(Int32, Int32, StoreError.Kind)])
func `an error of SQLite has a kind, and a full disk has one text`(
  code: Int32, systemError: Int32, kind: StoreError.Kind
) {
  let failure = SQLiteFailure(code: code, message: "M", systemError: systemError)
  let error = StoreError(failure, "open", "/a")
  #expect(error.kind == kind)
  #expect(error.cause == (kind == .full ? "database or disk is full" : "M"))
}
