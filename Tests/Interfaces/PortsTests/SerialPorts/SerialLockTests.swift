import Foundation
import Glibc
import Hardware
import Requirements
import TemporaryFiles
import Testing

@testable import Ports

/// A directory for lock files, and for files in place of ports.
private struct LockFolder {
  private let directory: TemporaryDirectory
  var path: String { directory.path }
  var openPaths: [String] { get throws { try directory.openPaths } }
  var lock: String? { directory.read("LCK..ttyS7").map { String(decoding: $0, as: UTF8.self) } }

  init() throws {
    directory = try TemporaryDirectory()
    try write("", to: "dev/ttyS7")
    try FileManager.default.createSymbolicLink(atPath: path + "/dev/serial0", withDestinationPath: path + "/dev/ttyS7")
  }

  func write(_ text: String, to name: String) throws { try directory.write(text, to: name) }
}

@Test func `a port is locked under its own name, also through links, until it is closed`() throws {
  let folder = try LockFolder()
  do {
    let lock = try #require(try SerialLock(of: folder.path + "/dev/serial0", in: folder.path))
    let number = "\(getpid())"
    #expect(folder.lock == String(repeating: " ", count: 10 - number.count) + number + "\n")
    #expect(try folder.openPaths == [], "the program keeps no file open")
    withExtendedLifetime(lock) {}
  }
  #expect(folder.lock == nil)
}

/// Whether this process can make a copy of the node of the terminal tty50, which has the numbers 4 and 50.
private let canCopyNode =
  geteuid() == 0 && ["/sys/dev/char/4:50", "/dev/tty50"].allSatisfy(FileManager.default.fileExists)

@Test(.enabled(if: canCopyNode, "only root can make a node, and only of the terminal tty50"))
func `a copy of a port's node has the lock of the port`() throws {
  let folder = try LockFolder()
  let made = unsafe mknod(folder.path + "/gnss", S_IFCHR | 0o600, 4 << 8 | 50)
  #expect(made == 0)
  let lock = try #require(try SerialLock(of: folder.path + "/gnss", in: folder.path))
  #expect(FileManager.default.fileExists(atPath: folder.path + "/LCK..tty50"))
  withExtendedLifetime(lock) {}
}

@Test func `a port that a running program has locked is busy, and the error names the program`() throws {
  let folder = try LockFolder()
  try folder.write("         1\n", to: "LCK..ttyS7")
  let error = try #require(throws: HardwareError.self) {
    try SerialLock(of: folder.path + "/dev/ttyS7", in: folder.path)
  }
  let name = (try? String(contentsOfFile: "/proc/1/comm", encoding: .utf8)).map { $0.filter { !$0.isNewline } }
  #expect(error.kind == .busy && error.cause == "process 1 (\(name ?? "unknown")) has locked the port", "\(error)")
  #expect(folder.lock == "         1\n", "somebody else's lock stays")
}

@Test(arguments: ["4194304999", "", "no number", "0", "-5", "\(getpid())"])
func `a stale lock is replaced`(text: String) throws {
  let folder = try LockFolder()
  try folder.write(text, to: "LCK..ttyS7")
  let lock = try SerialLock(of: folder.path + "/dev/ttyS7", in: folder.path)
  #expect(lock != nil && folder.lock?.hasPrefix("  ") == true && folder.lock?.contains("\(getpid())") == true)
}

@Test func `a device without a port's name has no lock file, and a read-only directory is not an error`() throws {
  let folder = try LockFolder()
  // `tty` is the terminal of each process itself.
  for name in ["3", "tty"] {
    try folder.write("", to: "dev/\(name)")
    #expect(try SerialLock(of: folder.path + "/dev/\(name)", in: folder.path) == nil)
  }
  #expect(try SerialLock(of: folder.path + "/dev/none", in: folder.path) == nil)
  #expect(try SerialLock(of: folder.path + "/dev/ttyS7", in: folder.path + "/nowhere") == nil)
}

@Test func `a folder in place of a lock file stays, and the port has no lock file`() throws {
  let folder = try LockFolder()
  try folder.write("", to: "LCK..ttyS7/file")
  #expect(try SerialLock(of: folder.path + "/dev/ttyS7", in: folder.path) == nil)
  #expect(FileManager.default.fileExists(atPath: folder.path + "/LCK..ttyS7/file"))
}

@Test(.patient)
func `a pipe in place of a lock file does not block`() throws {
  let folder = try LockFolder()
  let made = unsafe mkfifo(folder.path + "/LCK..ttyS7", 0o600)
  #expect(made == 0)
  let lock = try SerialLock(of: folder.path + "/dev/ttyS7", in: folder.path)
  #expect(lock != nil && folder.lock?.contains("\(getpid())") == true)
}
