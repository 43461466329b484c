import Configuration
@testable import Features
import Testing

@Suite struct ListeningSocketTests {
  private static let header =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

  private func line(_ local: String, state: String = "0A", inode: Int = 77) -> String {
    "   0: \(local) 00000000:0000 \(state) 00000000:00000000 00:00000000 00000000     0        0 \(inode) 1 0 100 0 0 10 0\n"
  }

  private func address(_ tree: FakeTree, _ host: String = "127.0.0.1") -> Machine.ListeningAddress {
    tree.reader.listeningAddress(.address(host: host, port: 2947))
  }

  @Test(arguments: [
    ("/proc/net/tcp", "0100007F:0B83", "127.0.0.1"), ("/proc/net/tcp", "00000000:0B83", "127.0.0.1"),
    ("/proc/net/tcp6", "00000000000000000000000000000000:0B83", "127.0.0.1"),
    ("/proc/net/tcp6", "00000000000000000000000001000000:0B83", "::1"),
  ])
  func `a listener on an address or on all addresses is found`(file: String, local: String, host: String) throws {
    let tree = try FakeTree()
    try tree.file(file, Self.header + line(local))
    try tree.process(42, ["/usr/sbin/gpsd", "-F", "/run/gpsd.sock"], open: ["/dev/null", "socket:[77]"])
    try tree.process(43, ["/bin/other"], open: ["socket:[78]"])
    let found = address(tree, host)
    #expect(found.isInUse && found.holders == [Machine.Process(pid: 42, name: "gpsd")])
    #expect(tree.reader.processes(of: "gpsd") == found.holders)
  }

  @Test(arguments: [
    ("0100007F:0B84", "0A"), ("0200007F:0B83", "0A"), ("0100007F:0B83", "01"), ("0100007F:0B83", "06"),
  ])
  func `another port, another address and a connection are ignored`(local: String, state: String) throws {
    let tree = try FakeTree()
    try tree.file("/proc/net/tcp", Self.header + line(local, state: state))
    #expect(!address(tree).isInUse)
  }

  @Test func `without permission, the address is known to be in use, but not by which process`() throws {
    let tree = try FakeTree()
    try tree.file("/proc/net/tcp", Self.header + line("0100007F:0B83"))
    #expect(address(tree).isInUse && address(tree).holders.isEmpty)
  }

  @Test func `a gpsd on another address is found`() throws {
    let tree = try FakeTree()
    try tree.process(42, ["gpsd"])
    #expect(!address(tree).isInUse && tree.reader.processes(of: "gpsd").map(\.pid) == [42])
  }

  @Test func `a listener on one address also prevents a listener on all addresses`() throws {
    let tree = try FakeTree()
    try tree.file("/proc/net/tcp", Self.header + line("0100007F:0B83"))
    #expect(address(tree, "0.0.0.0").isInUse && !address(tree, "127.0.0.2").isInUse)
  }

  @Test func `a listener at a path is found, and a connection at the path is ignored`() throws {
    let tree = try FakeTree()
    try tree.file(
      "/proc/net/unix",
      """
      Num       RefCount Protocol Flags    Type St Inode Path
      0000000000000000: 00000002 00000000 00010000 0001 01 77 /run/app folder/s
      0000000000000000: 00000003 00000000 00000000 0001 03 78 /run/other
      0000000000000000: 00000003 00000000 00000000 0001 03 79

      """)
    try tree.process(42, ["/usr/bin/other"], open: ["socket:[77]"])
    let found = tree.reader.listeningAddress(.socket("/run/app folder/s"))
    #expect(found.holders == [Machine.Process(pid: 42, name: "other")])
    #expect(!tree.reader.listeningAddress(.socket("/run/other")).isInUse)
  }

  @Test func `the listener on a port is found, and port 0 is never in use`() throws {
    let tree = try FakeTree()
    try tree.file("/proc/net/tcp", Self.header + line("0100007F:1F55"))
    try tree.process(42, ["/usr/sbin/httpd"], open: ["socket:[77]"])
    func address(_ port: Int) -> Machine.ListeningAddress {
      tree.reader.listeningAddress(.address(host: "127.0.0.1", port: port))
    }
    let found = address(8021)
    #expect(found.isInUse && found.holders == [Machine.Process(pid: 42, name: "httpd")])
    #expect(!address(8022).isInUse)
    #expect(!address(0).isInUse)
  }
}
