import Glibc
import Ports
import Testing

@testable import Serving

/// The permissions of the files of sockets.
@Suite struct SocketFileTests {
  /// Runs the body with a folder for sockets.
  private func withFolder(_ body: (String) throws -> Void) throws {
    var template = [CChar]("/tmp/onefix-test-XXXXXX".utf8CString)
    let isMade = unsafe mkdtemp(&template) != nil
    try #require(isMade)
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for name in ["socket", "file"] { _ = unsafe unlink("\(folder)/\(name)") }
      _ = unsafe rmdir(folder)
    }
    try body(folder)
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  @Test func `every user can open the socket of an app`() throws {
    try withFolder { folder in
      let path = "\(folder)/socket"
      try #require(unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0)
      let file = try SocketFile(path, for: .app)
      #expect(mode(path) == 0o666)
      file.remove()
      #expect(mode(path) == nil)
    }
  }

  @Test func `a symbolic link in place of the socket changes no other file`() throws {
    try withFolder { folder in
      let file = unsafe open("\(folder)/file", O_WRONLY | O_CREAT | O_EXCL, 0o600)
      try #require(file >= 0)
      close(file)
      try #require(unsafe symlink("\(folder)/file", "\(folder)/socket") == 0)
      #expect(throws: ListenError.self) { try SocketFile("\(folder)/socket", for: .app) }
      #expect(mode("\(folder)/file") == 0o600)
    }
  }
}
