import Glibc
import OperatingSystem
import Synchronization
import TemporaryFiles
import Testing

@Suite struct FileTests {
  private let folder: TemporaryDirectory
  private let path: String
  private var draft: String { "\(path).new" }

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("file")
  }

  /// The paths in the folder, and of the folder itself, that this process has open.
  private var openPaths: [String] {
    Folder.names(in: "/proc/self/fd").compactMap { DeviceNode.link(at: "/proc/self/fd/\($0)") }
      .filter { $0.hasPrefix(folder.path) }
  }

  /// Replaces the file, and returns the changes of the disk. The change `failing` fails.
  private func replace(isDurable: Bool, failing: FileStep? = nil) throws -> [FileStep] {
    let steps = Mutex<[FileStep]>([])
    let observer = FileObserver { step in
      steps.withLock { $0.append(step) }
      return step == failing ? ENOSPC : 0
    }
    try FileObserver.$present.withValue(observer) {
      try AtomicFile(path: path).write([2], mode: 0o640, isDurable: isDurable)
    }
    return steps.withLock(\.self)
  }

  @Test(arguments: [false, true])
  func `only a durable file is synchronized: its content before the rename, and its folder after the rename`(
    isDurable: Bool
  ) throws {
    let steps = try replace(isDurable: isDurable)
    let content: [FileStep] = [.remove(draft), .create(draft), .write(draft, offset: 0, bytes: [2])]
    #expect(
      steps == content + (isDurable ? [.synchronize(draft)] : []) + [.rename(from: draft, to: path)]
        + (isDurable ? [.synchronizeDirectory(folder.path)] : []))
    #expect(folder.read("file") == [2] && folder.mode("file") == 0o640 && folder.names == ["file"])
    #expect(openPaths == [])
  }

  @Test func `if a change before the rename fails, the earlier content stays and no draft stays`() throws {
    try folder.write([1], to: "file")
    let steps = try replace(isDurable: true).dropLast()
    #expect(steps.count == 5)
    for failing in steps {
      try folder.write([1], to: "file")
      #expect(throws: SystemFailure(number: ENOSPC)) { try replace(isDurable: true, failing: failing) }
      #expect(folder.read("file") == [1] && folder.names == ["file"], "\(failing)")
    }
    #expect(openPaths == [])
  }

  @Test(arguments: ["file", "file.new"])
  func `a folder is not replaced by a file, also at the path of the draft`(name: String) throws {
    try folder.makeFolder(name)
    #expect(throws: SystemFailure(number: EISDIR)) { try replace(isDurable: false) }
    #expect(folder.names == [name])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func `a file gets the given user and group`() throws {
    try AtomicFile(path: path).write([1], mode: 0o600, owner: (1234, 5678), isDurable: false)
    var status = stat()
    #expect(unsafe stat(path, &status) == 0 && status.st_uid == 1234 && status.st_gid == 5678)
  }

  /// The file system `/proc` cannot synchronize folders.
  @Test func `a folder is synchronized if its file system supports it, and no other path is`() throws {
    try synchronizeDirectory("/proc")
    try folder.write([1], to: "file")
    #expect(throws: SystemFailure(number: ENOTDIR)) { try synchronizeDirectory(path) }
    #expect(throws: SystemFailure(number: ENOENT)) { try synchronizeDirectory(draft) }
  }

  @Test(arguments: [
    ("/a/b", "/a"), ("/a/b//", "/a"), ("/a", "/"), ("/", "/"), ("//", "/"), ("a/b", "a"), ("a", "."), ("", "."),
  ])
  func `the folder of a path is the part before its last name`(path: String, folder: String) {
    #expect(parent(of: path) == folder)
  }

  @Test func `the names in a folder are sorted, and a folder that cannot be read has none`() throws {
    for name in ["b", "a", "ä"] { try folder.write([], to: name) }
    try folder.makeFolder(".c")
    #expect(Folder.names(in: folder.path) == [".c", "a", "b", "ä"])
    #expect(Folder.names(in: path) == [])
    #expect(openPaths == [])
  }

  @Test(arguments: [(0, 16_384), (16_383, 16_384), (16_384, 32_768), (32_768, 40_000), (.max, 40_000)])
  func `a file is read to its end, or until more bytes than the limit are read`(limit: Int, count: Int) throws {
    let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    try folder.write(bytes, to: "file")
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    let content = try readToEnd(file, limit: limit)
    #expect(content == Array(bytes.prefix(count)))
  }

  @Test func `a read that fails gives the error of the system`() {
    let file = unsafe open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(file) }
    #expect(throws: SystemFailure(number: EISDIR)) { try readToEnd(file) }
  }

  @Test(arguments: [(ENOENT, "no such file or directory"), (EPERM, "operation not permitted"), (9999, "error 9999")])
  func `an error number has the text of the C library, or is itself the text`(number: Int32, text: String) {
    #expect(systemErrorText(number) == text)
  }
}

@Suite struct WakeSocketTests {
  @Test func `a socket is readable from a wake until it is drained, and a full socket blocks no wake`() throws {
    let socket = try WakeSocket()
    var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    for wakes in [1, 100_000] {
      #expect(unsafe poll(&polled, 1, 0) == 0)
      for _ in 0..<wakes { socket.wake() }
      #expect(unsafe poll(&polled, 1, 0) == 1)
      socket.drain()
    }
    #expect(unsafe poll(&polled, 1, 0) == 0)
  }
}
