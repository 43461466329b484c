import Configuration
import Glibc
@testable import Features
import Repository
import Testing

/// The sandbox of the installed service.
@Suite struct ServiceUnitTests {
  private let tree: FakeTree

  init() throws {
    tree = try FakeTree()
    try tree.file("/proc/devices", "Character devices:\n  0 tty\n  0 ttyS\n 89 i2c\n\nBlock devices:\n  0 loop\n")
    try tree.device("/dev/ttyS1")
    try tree.link("/dev/serial0", to: "ttyS1")
  }

  private func install(_ text: String, at path: String = "/usr/lib/systemd/system/onefix.service") throws {
    try tree.file(path, "[Unit]\nUser=pi\n[Service]\nUser=onefix\n" + text)
  }

  private var isDenied: Bool {
    get throws {
      let machine = try tree.machine()
      let file = try #require(machine.files["/dev/serial0"])
      return machine.sandboxFinding(file, at: .init(file: "board.toml", line: 2)) != nil
    }
  }

  @Test func `a device has the names of its driver`() throws {
    let file = try #require(tree.machine().files["/dev/serial0"])
    #expect(file.drivers == ["tty", "ttyS", "0"] && file.driver == "ttyS")
  }

  @Test(arguments: [
    ("", false), ("DevicePolicy=auto", false), ("DevicePolicy=closed", true), ("DevicePolicy=strict", true),
    ("DeviceAllow=char-i2c rw", true), ("DeviceAllow=char-ttyS rw", false), ("DeviceAllow=char-tty rw", false),
    ("DeviceAllow=char-tty* rw", false), ("DeviceAllow=char-ttyUSB rw", true), ("DeviceAllow=char-0 rw", false),
    ("DeviceAllow=char-ttyS", false), ("DeviceAllow=char-ttyS r", true), ("DeviceAllow=block-loop rw", true),
    ("DeviceAllow=/dev/ttyS1 rw", false), ("DeviceAllow=/dev/serial0 rw", false), ("DeviceAllow=/dev/ttyS2 rw", true),
    ("DeviceAllow=char-i2c rw\nDeviceAllow=", false),
    ("DeviceAllow=char-ttyS rw\nDeviceAllow=\nDevicePolicy=closed", true),
    ("DeviceAllow=char-i2c rw\n# DeviceAllow=char-ttyS rw\n; DeviceAllow=char-ttyS rw", true),
    ("DeviceAllow=char-i2c rw\n[Install]\nDeviceAllow=char-ttyS rw", true),
    ("DevicePolicy = closed\n DeviceAllow = char-ttyS \\\n rw", false),
  ])
  func `the unit allows the devices that it names by driver or by node`(text: String, isDenied: Bool) throws {
    try install(text)
    #expect(try self.isDenied == isDenied)
  }

  @Test func `drop-ins add to the unit, and a drop-in of the owner hides one of the package`() throws {
    try install("DevicePolicy=closed")
    #expect(try isDenied)
    try tree.file("/etc/systemd/system/onefix.service.d/zz-devices.conf", "[Service]\nDeviceAllow=char-ttyS rw\n")
    #expect(try !isDenied)
    try tree.file("/usr/lib/systemd/system/onefix.service.d/zz.conf", "[Service]\nDeviceAllow=\n")
    #expect(try isDenied)
    try tree.link("/etc/systemd/system/onefix.service.d/zz.conf", to: "/dev/null")
    #expect(try !isDenied)
    try tree.file("/etc/systemd/system.control/onefix.service.d/zzz.conf", "[Service]\nDeviceAllow=\n")
    #expect(try isDenied)
    try tree.file("/run/systemd/system/service.d/zzzz.conf", "[Service]\nDeviceAllow=char-tty? rw\n")
    #expect(try !isDenied)
    try install("DevicePolicy=closed\nUser=root", at: "/etc/systemd/system/onefix.service")
    #expect(try !isDenied, "another user has another sandbox")
  }

  @Test func `without the unit, without a driver and as another user there is no sandbox`() throws {
    #expect(try tree.machine().sandbox == nil)
    try install("DevicePolicy=closed\nUser=gateway")
    #expect(try tree.machine().sandbox == nil)
    try install("DevicePolicy=closed\nUser=990")
    #expect(try tree.machine().sandbox == Sandbox(drivers: ["pts"]))
    try tree.file("/proc/devices", "Character devices:\n  1 mem\n")
    #expect(try !isDenied)
  }

  /// UARTs and USB ports of boards, by the kernel's drivers and the lists of boards of Armbian.
  @Test(arguments: [
    "ttyS", "ttyAMA", "ttyUSB", "ttyACM", "ttymxc", "ttyLP", "ttyTHS", "ttyTCU", "ttyAML", "ttyMSM", "ttyHS", "ttySTM",
    "ttyPS", "ttyUL", "ttySAC", "ttySC", "ttyGS", "ttyO", "ttyFIQ", "ttyMV", "ttyAS", "ttySIF", "ttyLF", "ttyMAX",
    "ttyARC",
  ])
  func `the unit of the package allows the serial ports of all boards`(driver: String) throws {
    let path = Repository.root + "/Scripts/Packaging/debian/onefix.service"
    let unit = try #require(FileTree(root: "", deviceType: S_IFCHR).text(of: path))
    try tree.file("/usr/lib/systemd/system/onefix.service", unit)
    try tree.file("/proc/devices", "Character devices:\n  0 \(driver)\n")
    #expect(try !isDenied)
    try tree.file("/proc/devices", "Character devices:\n  0 rfcomm\n")
    #expect(try isDenied)
  }
}
