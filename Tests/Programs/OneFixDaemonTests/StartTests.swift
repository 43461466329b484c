import Features
import Glibc
import Hardware
import TemporaryFiles
import Testing

@testable import onefixd

@Test func `root checks for the user of the package, any other user for itself, and a user has a name and a number`()
  throws
{
  let folder = try TemporaryDirectory()
  try folder.write("onefix:x:777:778::/nonexistent:/usr/sbin/nologin\n", to: "etc/passwd")
  let reader = MachineReader(root: folder.path)
  let own = try daemonUser(reader, named: nil)
  #expect(geteuid() == 0 ? own.name == "onefix" && own.uid == 777 : own.uid == geteuid())
  for name in ["onefix", "777"] {
    let user = try daemonUser(reader, named: name)
    #expect((user.name, user.uid, user.gid) == ("onefix", 777, 778))
  }
  #expect(throws: UsageError.self) { try daemonUser(reader, named: "nobody-here") }
}

@Test(arguments: [
  ("/etc/onefix/device.key", "/etc/onefix/anchor"), ("device.key", "anchor"),
  ("/srv/my.device.key", "/srv/my.device.anchor"), ("/srv/boat.key", "/srv/boat.anchor"),
  ("boat.key", "boat.anchor"), ("/a.key/secret", "/a.key/secret.anchor"),
])
func `the anchor is beside the device key, with a name that follows from the name of the key`(
  key: String, anchor: String
) {
  #expect(KeyLocation(named: key, usual: "/usual.key").anchor == anchor)
}

@Test(arguments: [("/run/onefix/onefix.sock", "/run/onefix/unsaved"), ("s", "unsaved"), ("run/s", "run/unsaved")])
func `the copy of unsaved changes is in the folder of the socket`(socket: String, copy: String) {
  #expect(Selection.copyPath(beside: socket) == copy)
}

@Test(arguments: [("/srv/state//", "/srv/state"), ("state/", "state"), ("/", "/"), ("//", "/"), ("/s", "/s")])
func `the directory of the state has no slash at its end`(option: String, directory: String) {
  #expect(StateOptions(["state": option]).directory == directory)
}

@Test(arguments: [
  // A gateway without other listeners, the usual limit, and a limit above the maximum.
  (1024, 0, 0, [923, 0, 64]), (1024, 2, 5, [458, 229, 64]), (.max, 1, 0, [32_717, 32_717, 64]),
  // The smallest limits.
  (46, 1, 0, [3, 3, 2]), (41, 0, 0, [3, 0, 1]),
])
func `each listener gets connections, and the socket of the apps at least as many as all others`(
  limit: Int, listeners: Int, features: Int, counts: [Int]
) throws {
  let files = try OpenFiles(limit: limit, listeners: listeners, features: features)
  #expect([files.apps, files.listener, files.owners] == counts)
}

@Test(arguments: [(45, 1, 0, 46), (40, 0, 0, 41), (55, 2, 5, 56)])
func `a limit without four descriptors for each listener is refused, and the remedy names the smallest limit`(
  limit: Int, listeners: Int, features: Int, least: Int
) {
  let error = #expect(throws: HardwareError.self) {
    try OpenFiles(limit: limit, listeners: listeners, features: features)
  }
  #expect(error?.cause == "this process can open only \(limit) files")
  #expect(error?.remedy?.contains("must be at least \(least);") == true)
}
