import Glibc
import TemporaryFiles
import Testing

@testable import OperatingSystem

@Suite struct MetricsFileTests {
  private let folder: TemporaryDirectory
  private var file: MetricsFile { MetricsFile(path: folder.path("onefix.prom")) }

  init() throws { folder = try TemporaryDirectory() }

  private func text(_ name: String) -> String? { folder.read(name).map { String(decoding: $0, as: UTF8.self) } }

  @Test(
    .enabled(if: geteuid() == 0, "only root can give a folder to another group"),
    arguments: [
      (0o2750, 1234, 0o640), (0o2750, getegid(), 0o600), (0o750, 1234, 0o600), (0o770, getegid(), 0o600),
    ] as [(mode_t, gid_t, mode_t)])
  func `a group can read the file only if the folder gives it a group that is not the group of the apps`(
    mode: mode_t, group: gid_t, expected: mode_t
  ) throws {
    _ = unsafe chown(folder.path, getuid(), group)
    _ = unsafe chmod(folder.path, mode)
    try file.write("numbers")
    #expect(folder.mode("onefix.prom") == expected)
    var status = stat()
    #expect(unsafe stat(file.path, &status) == 0 && (expected == 0o600 || status.st_gid == group))
  }

  @Test func `the file is replaced as a whole, with permissions for its user alone, whatever the umask`() throws {
    for content in [String(repeating: "long ", count: 100_000), "short\n"] {
      try file.write(content)
      #expect(text("onefix.prom") == content)
      #expect(folder.names == ["onefix.prom"] && folder.mode("onefix.prom") == 0o600)
    }
    file.remove()
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: ["onefix.prom", "onefix.prom.new"])
  func `nothing is written through a symbolic link`(name: String) throws {
    try folder.write("mine", to: "mine")
    try #require(unsafe symlink(folder.path("mine"), folder.path(name)) == 0)
    try file.write("numbers")
    #expect(text("mine") == "mine" && text("onefix.prom") == "numbers")
    #expect(folder.names == ["mine", "onefix.prom"])
  }

  @Test func `a missing folder is reported with a remedy`() throws {
    #expect {
      try MetricsFile(path: folder.path("no/onefix.prom")).write("numbers")
    } throws: {
      "\($0)" == "cannot write \(folder.path)/no/onefix.prom: no such file or directory (create its folder)"
    }
  }

  @Test(arguments: [
    (EACCES, "its folder must be writable for this user; see ReadWritePaths= in onefixd(8)"),
    (EPERM, "its folder must be writable for this user; see ReadWritePaths= in onefixd(8)"),
    (EROFS, "its folder must be writable for this user; see ReadWritePaths= in onefixd(8)"),
    (ENOSPC, "free space on its file system"), (EDQUOT, "free space on its file system"), (EIO, nil),
  ])
  func `an error of a write has the remedy for its cause`(number: Int32, remedy: String?) {
    let message = "cannot write /m.prom: \(systemErrorText(number))"
    #expect(MetricsFileError("/m.prom", number).description == message + (remedy.map { " (\($0))" } ?? ""))
  }
}
