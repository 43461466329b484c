import Foundation
import Glibc
import Hardware
import Testing

@testable import SerialPorts

/// A folder for lock files and for what stands for a port.
private final class LockFolder {
  let path = NSTemporaryDirectory() + "onefix-lock-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path + "/dev", withIntermediateDirectories: true)
    try write("", to: "dev/ttyS7")
    try FileManager.default.createSymbolicLink(atPath: path + "/dev/serial0", withDestinationPath: path + "/dev/ttyS7")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
  }

  var lock: String? { try? String(contentsOfFile: path + "/LCK..ttyS7", encoding: .utf8) }
}

@Test func `a port is locked by its own name, whatever link leads to it, until the end`() throws {
  let folder = try LockFolder()
  do {
    let lock = try #require(try SerialLock(of: folder.path + "/dev/serial0", in: folder.path))
    let number = "\(getpid())"
    #expect(folder.lock == String(repeating: " ", count: 10 - number.count) + number + "\n")
    withExtendedLifetime(lock) {}
  }
  #expect(folder.lock == nil)
}

@Test func `a port that a running program has locked is busy, and the program is named`() throws {
  let folder = try LockFolder()
  try folder.write("         1\n", to: "LCK..ttyS7")
  let error = try #require(throws: HardwareError.self) {
    try SerialLock(of: folder.path + "/dev/ttyS7", in: folder.path)
  }
  #expect(error.kind == .busy && error.cause.contains("process 1 ("), "\(error)")
  #expect(folder.lock == "         1\n", "somebody else's lock stays")
}

@Test(arguments: ["4194304999", "", "no number", "0", "-5"])
func `a lock whose program has ended is taken over`(text: String) throws {
  let folder = try LockFolder()
  try folder.write(text, to: "LCK..ttyS7")
  let lock = try SerialLock(of: folder.path + "/dev/ttyS7", in: folder.path)
  #expect(lock != nil && folder.lock?.contains("\(getpid())") == true)
}

@Test func `what has no name of a port has no lock file, and a folder that may not be written is no fault`() throws {
  let folder = try LockFolder()
  try folder.write("", to: "dev/3")
  #expect(try SerialLock(of: folder.path + "/dev/3", in: folder.path) == nil)
  #expect(try SerialLock(of: folder.path + "/dev/none", in: folder.path) == nil)
  #expect(try SerialLock(of: folder.path + "/dev/ttyS7", in: folder.path + "/nowhere") == nil)
}

@Test(.timeLimit(.minutes(1)))
func `a pipe in the place of a lock file is not waited for`() throws {
  let folder = try LockFolder()
  let made = unsafe mkfifo(folder.path + "/LCK..ttyS7", 0o600)
  #expect(made == 0)
  let lock = try SerialLock(of: folder.path + "/dev/ttyS7", in: folder.path)
  #expect(lock != nil && folder.lock?.contains("\(getpid())") == true)
}
