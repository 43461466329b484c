import Features
import Glibc
import TemporaryFiles
import Testing

@testable import onefixd

@Suite struct DaemonUserTests {
  private let folder: TemporaryDirectory
  private let reader: MachineReader

  init() throws {
    folder = try TemporaryDirectory()
    try folder.write([UInt8]("onefix:x:777:778::/nonexistent:/usr/sbin/nologin\n".utf8), to: "etc/passwd")
    reader = MachineReader(root: folder.path)
  }

  @Test func `root checks for the user of the package, and any other user for itself`() throws {
    let user = try daemonUser(reader, named: nil)
    #expect(geteuid() == 0 ? user.name == "onefix" && user.uid == 777 : user.uid == geteuid())
  }

  @Test(arguments: ["onefix", "777"])
  func `a user is found by name and by number`(name: String) throws {
    let user = try daemonUser(reader, named: name)
    #expect((user.name, user.uid, user.gid) == ("onefix", 777, 778))
  }

  @Test func `an unknown user is an error of the command line`() {
    #expect(throws: UsageError.self) { try daemonUser(reader, named: "nobody-here") }
  }
}
