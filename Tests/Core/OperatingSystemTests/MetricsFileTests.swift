import Foundation
import Glibc
import Testing

@testable import OperatingSystem

@Suite struct MetricsFileTests {
  /// Runs the body with a new folder and a file in it, which does not exist yet.
  private func withFolder(_ body: (String, MetricsFile) throws -> Void) throws {
    let folder = "/tmp/onefix-metrics-\(UInt64.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder, MetricsFile(path: folder + "/onefix.prom"))
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a folder to another group"))
  func `a group can read the file only if the folder gives it a group that is not the group of the apps`() throws {
    for (mode, group, expected) in [
      (mode_t(0o2750), gid_t(1234), 0o640), (0o2750, getegid(), 0o600), (0o750, 1234, 0o600), (0o770, getegid(), 0o600),
    ] {
      try withFolder { folder, file in
        _ = unsafe chown(folder, getuid(), group)
        _ = unsafe chmod(folder, mode)
        try file.write("numbers")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == expected)
        if expected == 0o640 { #expect(attributes[.groupOwnerAccountID] as? Int == Int(group)) }
      }
    }
  }

  @Test func `the file is replaced as a whole, with permissions for its user alone, whatever the umask`() throws {
    try withFolder { folder, file in
      for text in [String(repeating: "long ", count: 100_000), "short\n"] {
        try file.write(text)
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
        #expect(try names(folder) == ["onefix.prom"])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
      }
      file.remove()
      #expect(try names(folder).isEmpty)
    }
  }

  @Test func `a reader with the open file reads the previous contents`() throws {
    try withFolder { folder, file in
      try file.write("before")
      let reader = try #require(FileHandle(forReadingAtPath: file.path))
      try file.write("after, and longer")
      #expect(try reader.readToEnd() == Data("before".utf8))
    }
  }

  @Test func `nothing is written through a symbolic link`() throws {
    try withFolder { folder, file in
      for name in ["onefix.prom", "onefix.prom.new"] {
        try "mine".write(toFile: folder + "/mine", atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: folder + "/mine")
        try file.write("numbers")
        #expect(try String(contentsOfFile: folder + "/mine", encoding: .utf8) == "mine")
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "numbers")
        #expect(try names(folder) == ["mine", "onefix.prom"])
        file.remove()
      }
    }
  }

  @Test func `a missing folder is reported with a remedy`() throws {
    try withFolder { folder, _ in
      #expect {
        try MetricsFile(path: folder + "/no/onefix.prom").write("numbers")
      } throws: {
        "\($0)" == "cannot write \(folder)/no/onefix.prom: no such file or directory (create its folder)"
      }
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
