import Glibc
import OperatingSystem
import Testing

@testable import Features

@Suite struct ProcessUsageTests {
  @Test func `the usage is parsed from the kernel's format with any process name`() throws {
    let fake = try FakeTree()
    try fake.file("/proc/stat", "cpu  1 2 3\nintr 5\nbtime 1795300000\nprocesses 9\n")
    try fake.file(
      "/proc/self/stat",
      "77 (a) R 9 (b) S 1 77 77 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 4 0 3000 104857600 5120 18446744073709551615\n")
    for number in [0, 1, 7] { try fake.file("/proc/self/fd/\(number)", "") }
    let tree = FileTree(root: fake.path, deviceType: S_IFIFO)
    let usage = try #require(ProcessUsage(tree, ticks: 100, pageSize: 4096, mostOpenFiles: 1024))
    #expect(usage.processorSeconds == 2 && usage.startSeconds == 1_795_300_030)
    #expect(usage.virtualBytes == 104_857_600 && usage.residentBytes == 5120 * 4096)
    #expect(usage.openFiles == 2 && usage.mostOpenFiles == 1024)
    let names = Set(usage.families.map(\.name))
    #expect(names.count == 6 && names.allSatisfy { $0.hasPrefix("onefix_process_") })
  }

  @Test(arguments: [
    "", "77 (a) S", "77 a S 1 2 3", "77 (a) S 1 77 77 0 -1 4194560 100 0 0 0 x 50 0 0 20 0 4 0 3000 1 1 1",
  ])
  func `a file in another format is rejected`(text: String) throws {
    let fake = try FakeTree()
    try fake.file("/proc/stat", "btime 1\n")
    try fake.file("/proc/self/stat", text)
    #expect(
      ProcessUsage(FileTree(root: fake.path, deviceType: S_IFIFO), ticks: 100, pageSize: 4096, mostOpenFiles: nil)
        == nil)
  }

  @Test func `this process uses some of every resource`() throws {
    let usage = try #require(ProcessUsage.own)
    #expect(usage.residentBytes > 1 << 20 && usage.virtualBytes >= usage.residentBytes && usage.openFiles >= 3)
    #expect(usage.startSeconds > 1_600_000_000 && usage.processorSeconds >= 0)
  }
}
