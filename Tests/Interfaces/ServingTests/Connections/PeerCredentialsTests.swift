import CLinux
import Glibc
import NIOCore
import Ports
import Testing

@testable import Serving

@Test(arguments: [
  ("0::/system.slice/kiosk.service\n", "kiosk.service" as String?),
  ("0::/system.slice/system-getty.slice/getty@tty1.service\n", "getty@tty1.service"),
  ("0::/system.slice/kiosk.service/payload\n", "kiosk.service"),
  ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/kiosk.service\n", nil),
  ("0::/machine.slice/system.slice/kiosk.service\n", nil), ("0::/\n", nil), ("", nil),
  ("1:name=systemd:/system.slice/kiosk.service\n", nil),
  ("12:cpu:/x\n0::/system.slice/a.service\n", "a.service"),
  ("0::/system.slice/docker-abc.scope/kiosk.service\n", nil),
  ("0::/system.slice/docker-abc.scope/system.slice/kiosk.service\n", nil),
  ("0::/system.slice/runner.service/system.slice/kiosk.service\n", "runner.service"),
  ("0::/system.slice/payload/kiosk.service\n", nil), ("0::/system.slice/../kiosk.service\n", nil),
  ("0::/system.slice/kiosk.service (deleted)\n", nil), ("0::/system.slice/kiosk.slice\n", nil),
])
func `only a unit of the system's manager tells who a peer is`(cgroups: String, unit: String?) {
  #expect(Peer.systemUnit(inCgroups: cgroups) == unit)
}

@Test(arguments: [
  (3 as CInt?, true, "kiosk.service" as String?),
  // The process ended while its cgroup was read, so another process can have its number.
  (3, false, nil),
  // Without a descriptor from the kernel, another process can have the number.
  (nil, true, nil),
])
func `a unit is known only through a descriptor of the process that connected, and while that lives`(
  pidfd: CInt?, isAlive: Bool, unit: String?
) {
  let credentials = onefix_peer_credentials(pid: 77, uid: 33, gid: 33)
  let peer = Peer(
    credentials, pidfd: pidfd, unit: { $0 == 77 ? "kiosk.service" : nil }, isAlive: { $0 == 3 && isAlive })
  #expect(peer == .process(uid: 33, unit: unit))
}

@Test func `the kernel tells the user of a process at a Unix socket, and nothing of another descriptor`() throws {
  var ends: [CInt] = [-1, -1]
  let isOpen = unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
  try #require(isOpen)
  defer { for end in ends { close(end) } }
  #expect(try Peer(ofUnixSocket: ends[0]).origin == .uid(geteuid()))
  let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
  try #require(file >= 0)
  defer { close(file) }
  #expect(throws: IOError.self) { try Peer(ofUnixSocket: file) }
}
