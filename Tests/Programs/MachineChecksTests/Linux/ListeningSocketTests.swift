import Configuration
@testable import Features
import Testing

@Suite struct ListeningSocketTests {
  private static let header =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

  private func line(_ local: String, state: String = "0A", inode: Int = 77) -> String {
    "   0: \(local) 00000000:0000 \(state) 00000000:00000000 00:00000000 00000000     0        0 \(inode) 1 0 100 0 0 10 0\n"
  }

  private func address(_ tree: FakeTree, _ host: String = "127.0.0.1", port: Int = 2947) -> Machine.ListeningAddress {
    tree.reader.listeningAddress(.address(host: host, port: port))
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
    ("0100007F:0B83", "0A", "127.0.0.1", 2947, true), ("0100007F:0B83", "0A", "0.0.0.0", 2947, true),
    ("0100007F:0B84", "0A", "127.0.0.1", 2947, false), ("0100007F:0B83", "0A", "127.0.0.1", 2948, false),
    ("0200007F:0B83", "0A", "127.0.0.1", 2947, false), ("0100007F:0B83", "0A", "127.0.0.2", 2947, false),
    ("0100007F:0B83", "01", "127.0.0.1", 2947, false), ("0100007F:0B83", "06", "127.0.0.1", 2947, false),
    // The kernel chooses a free port in place of port 0.
    ("0100007F:0000", "0A", "127.0.0.1", 0, false),
  ])
  func `a listener prevents another one on its address or on all addresses, and a connection prevents none`(
    local: String, state: String, host: String, port: Int, isInUse: Bool
  ) throws {
    let tree = try FakeTree()
    try tree.file("/proc/net/tcp", Self.header + line(local, state: state))
    let found = address(tree, host, port: port)
    #expect(found.isInUse == isInUse && found.holders.isEmpty, "without permission, the process is unknown")
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
}
