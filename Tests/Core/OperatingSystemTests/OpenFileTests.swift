import Glibc
import TemporaryFiles
import Testing

@testable import OperatingSystem

@Test(arguments: [0, 1, 16_384, 16_385, 50_000])
func `a file is read up to a limit, and closed by the end of its use`(limit: Int) throws {
  let directory = try TemporaryDirectory()
  let path = directory.path("file")
  let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 * 7 / 5) }
  do {
    let file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    try file.write(bytes)
    #expect(try file.isRegular && file.status().st_size == 40_000)
    #expect(fcntl(file.descriptor, F_GETFD) == FD_CLOEXEC)
  }
  #expect(try OpenFile(path).read(atMost: limit) == Array(bytes.prefix(limit)))
  #expect(directory.mode("file") == 0o600)
  #expect(try directory.openPaths == [])
}

@Test func `a file that cannot be opened, read or written is an error with its number`() throws {
  let directory = try TemporaryDirectory()
  try directory.write("", to: "file")
  func number(_ work: () throws(SystemFailure) -> Void) -> Int32? {
    do { try work() } catch { return error.number }
    return nil
  }
  #expect(number { () throws(SystemFailure) in _ = try OpenFile(directory.path("none")) } == ENOENT)
  #expect(
    number { () throws(SystemFailure) in _ = try OpenFile(directory.path("file"), O_CREAT | O_EXCL | O_WRONLY) }
      == EEXIST)
  #expect(number { () throws(SystemFailure) in _ = try OpenFile(directory.path).read(atMost: 1) } == EISDIR)
  #expect(number { () throws(SystemFailure) in try OpenFile(directory.path("file")).write([1]) } == EBADF)
  #expect(try !OpenFile(directory.path).isRegular)
}
