import Glibc
import NIOCore
import NIOPosix
import OperatingSystem
import Ports
import TemporaryFiles
import Testing

@testable import Serving

/// The permissions of the files of sockets, and their paths.
@Suite struct SocketFileTests {
  private func makeSocket(_ name: String, in folder: TemporaryDirectory) throws {
    try #require(unsafe mknod(folder.path(name), S_IFSOCK | 0o600, 0) == 0)
  }

  private func prepare(_ path: String) async throws {
    try await SocketFile.prepare(path, group: .singletonMultiThreadedEventLoopGroup)
  }

  @Test(arguments: [(SocketFile.Access.owner, "onefix-owner", 0o600), (.apps, "onefix", 0o666), (.app, "", 0o666)])
  func `without its group, the socket of owners is only for the daemon's user, and each other socket for everyone`(
    access: SocketFile.Access, group: String, mode: mode_t
  ) throws {
    let folder = try TemporaryDirectory()
    try makeSocket("socket", in: folder)
    // A machine on which OneFix is installed has the group.
    let hasGroup = SocketFile.mode(of: folder.path("socket"), sharedBy: group, otherwise: 0) == 0o660
    let file = try SocketFile(folder.path("socket"), for: access)
    #expect(folder.mode("socket") == (hasGroup ? 0o660 : mode))
    file.remove()
    #expect(folder.names == [])
  }

  @Test func `a socket of a group is open to the group, and not to other users`() throws {
    let folder = try TemporaryDirectory()
    try makeSocket("socket", in: folder)
    let found = unsafe getgrgid(getegid()).map { unsafe String(cString: $0.pointee.gr_name) }
    let name = try #require(found)
    #expect(SocketFile.mode(of: folder.path("socket"), sharedBy: name, otherwise: 0o600) == 0o660)
    #expect(SocketFile.mode(of: folder.path("missing"), sharedBy: name, otherwise: 0o600) == 0o600)
    #expect(SocketFile.mode(of: folder.path("socket"), sharedBy: "no such group", otherwise: 0o666) == 0o666)
  }

  @Test func `a symbolic link in place of the socket changes no other file`() throws {
    let folder = try TemporaryDirectory()
    try folder.write("", to: "file")
    try #require(unsafe symlink(folder.path("file"), folder.path("socket")) == 0)
    #expect(throws: ListenError.self) { try SocketFile(folder.path("socket"), for: .app) }
    #expect(folder.mode("file") == 0o600)
  }

  @Test func `the socket of another daemon at the same path is not removed`() throws {
    let folder = try TemporaryDirectory()
    for name in ["socket", "other"] { try makeSocket(name, in: folder) }
    let file = try SocketFile(folder.path("socket"), for: .app)
    try #require(unsafe rename(folder.path("other"), folder.path("socket")) == 0)
    file.remove()
    #expect(folder.names == ["socket"])
  }

  // MARK: Paths

  @Test func `missing folders of a socket are created for all users, and nothing else is`() async throws {
    let folder = try TemporaryDirectory()
    try await prepare(folder.path("first/second/socket"))
    let inner = ["first", "first/second"].map { folder.mode($0) }
    #expect(inner == [0o755, 0o755])
    #expect(folder.names == ["first"])
  }

  @Test func `a socket can have a path of 103 bytes, and a path of 104 bytes is refused`() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.path(String(repeating: "s", count: SocketPath.maximumLength - folder.path("").utf8.count))
    #expect(path.utf8.count == 103)
    try await prepare(path)
    let error = await #expect(throws: ListenError.self) { try await prepare(path + "s") }
    #expect(error?.cause == "the path has 104 bytes, but the path of a socket can have at most 103")
    #expect(folder.names == [])
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(unixDomainSocketPath: path).get()
    try await listener.close().get()
  }

  @Test func `a file in place of a folder or of the socket is an error, and the file stays`() async throws {
    let folder = try TemporaryDirectory()
    try folder.write("", to: "file")
    for name in ["file/socket", "file/folder/socket"] {
      let error = await #expect(throws: ListenError.self) { try await prepare(folder.path(name)) }
      #expect(error?.address == folder.path(name))
      #expect(error?.cause == "\(folder.path("file")) is a file and not a folder")
      #expect(error?.remedy == "move that file away, or choose another path with --socket")
    }
    let error = await #expect(throws: ListenError.self) { try await prepare(folder.path("file")) }
    #expect(error?.cause == "the path is a file that is not a socket")
    #expect(folder.names == ["file"])
  }

  @Test func `a link to a folder is accepted, and in a link without a target no folder can be created`() async throws {
    let folder = try TemporaryDirectory()
    try folder.makeFolder("folder")
    for (target, link) in [("folder", "good"), ("missing", "dead")] {
      try #require(unsafe symlink(folder.path(target), folder.path(link)) == 0)
    }
    try await prepare(folder.path("good/socket"))
    let error = await #expect(throws: ListenError.self) { try await prepare(folder.path("dead/folder/socket")) }
    #expect(error?.cause.hasPrefix("cannot create the folder \(folder.path("dead/folder")): ") == true)
    #expect(error?.remedy == "create the folder, or choose another path with --socket")
    #expect(folder.names == ["dead", "folder", "good"])
  }

  @Test func `a socket on which no process listens is removed, and a used socket is an error`() async throws {
    let folder = try TemporaryDirectory()
    try makeSocket("old", in: folder)
    try await prepare(folder.path("old"))
    let other = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(unixDomainSocketPath: folder.path("used")).get()
    let error = await #expect(throws: ListenError.self) { try await prepare(folder.path("used")) }
    #expect(error?.fault == .taken)
    #expect(folder.names == ["used"])
    try await other.close().get()
  }
}
