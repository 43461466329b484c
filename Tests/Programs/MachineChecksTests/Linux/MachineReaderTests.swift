import Configuration
import Glibc
@testable import Features
import Testing

@Test func `a port is described by the target of its link`() throws {
  let tree = try FakeTree()
  try tree.device("/dev/ttyAMA0", mode: 0o640)
  try tree.link("/dev/serial0", to: "ttyAMA0")
  let machine = try tree.machine()
  #expect(
    machine.files["/dev/serial0"]
      == DeviceFile(path: "/dev/ttyAMA0", owner: geteuid(), group: getegid(), mode: 0o640))
  #expect(machine.serialPort == Machine.SerialPort())
  #expect(machine.accounts.members(of: 20) == ["pi"])
  #expect(machine.accounts.users.map(\.name) == ["root", "onefix", "pi"])
}

@Test func `an absent device is not described, a file is not a device, and the kernel's version is read if present`()
  throws
{
  let tree = try FakeTree()
  #expect(try tree.machine().files["/dev/serial0"] == nil && tree.machine().kernel == nil)
  try tree.file("/dev/serial0", "text")
  #expect(try tree.machine().files["/dev/serial0"]?.kind == .other)
  try tree.file("/proc/sys/kernel/osrelease", "6.1.0-50-amd64\n")
  #expect(try tree.machine().kernel == Machine.Kernel(major: 6, minor: 1))
}

@Test(arguments: [
  ("/proc/consoles", "ttyAMA0              -W- (EC   a)  204:64\n", true),
  ("/proc/cmdline", "quiet console=ttyAMA0,115200 rw", true),
  ("/proc/cmdline", "console=serial0,115200 console=tty1", true),
  ("/proc/cmdline", "console=ttyAMA10", false), ("/proc/cmdline", "console=tty1", false),
  ("/proc/cmdline", "earlycon=ttyAMA0", false),
])
func `a kernel console is found by the port's name or its link's name, and another port is none`(
  file: String, text: String, isConsole: Bool
) throws {
  let tree = try FakeTree.withPort()
  #expect(try !tree.machine().serialPort.isConsole)
  try tree.file(file, text)
  #expect(try tree.machine().serialPort.isConsole == isConsole)
  try tree.device("/dev/console")
  #expect(try tree.machine("uart:/dev/console").serialPort.isConsole)
}

/// Raspberry Pi OS links `/dev/serial0` to the port. A unit with the name of the link starts a login, too, and a mask of
/// the unit with the name of the port has no effect on it.
@Test(arguments: [("ttyAMA0", "/run/systemd/generator"), ("serial0", "/etc/systemd/system")])
func `a login is found by its process or by the unit that starts it, with the name that the login uses`(
  name: String, folder: String
) throws {
  let tree = try FakeTree.withPort()
  func login() throws -> [String?] {
    let port = try tree.machine().serialPort
    return [port.login, port.loginPort]
  }
  try tree.process(41, ["/sbin/agetty", "-o", "-p -- \\u", "--noclear", "tty1", "linux"])
  #expect(try login() == [nil, nil])
  let unit = "serial-getty@\(name).service"
  try tree.link("\(folder)/getty.target.wants/\(unit)", to: "/lib/systemd/system/serial-getty@.service")
  #expect(try login() == [unit, name])
  try tree.link("/etc/systemd/system/\(unit)", to: "/dev/null")
  #expect(try login() == [nil, nil])
  try tree.process(42, ["/sbin/agetty", "--keep-baud", "115200,9600", name, "vt220"])
  #expect(try login() == ["agetty, pid 42,", name])
}

/// The number of a USB adapter depends on the order in which the adapters were plugged in.
@Test func `the udev rule for an adapter that is named by its link has the link, and not the number`() throws {
  let tree = try FakeTree()
  let link = "/dev/serial/by-id/usb-u-blox_AG_-_www.u-blox.com_u-blox_7-if00"
  try tree.device("/dev/ttyUSB0", mode: 0o666)
  try tree.link(link, to: "../../ttyUSB0")
  for (path, condition) in [(link, "SYMLINK==\"\(link.dropFirst(5))\""), ("/dev/ttyUSB0", "KERNEL==\"ttyUSB0\"")] {
    let machine = try tree.machine("uart:\(path)")
    let file = try #require(machine.files[path])
    #expect(file.ruleCondition == condition)
    #expect(machine.ownershipRemedy(of: file, subsystem: "tty").contains("\(condition), SUBSYSTEM==\"tty\""))
  }
}

@Test func `Bluetooth is found by its process on the port and by the kernel driver`() throws {
  let tree = try FakeTree.withPort()
  try tree.process(50, ["/usr/bin/hciattach", "/dev/ttyS9", "bcm43xx", "921600"])
  #expect(try tree.machine().serialPort.bluetooth == nil)
  try tree.process(51, ["/usr/bin/btattach", "-B", "/dev/ttyAMA0"])
  #expect(try tree.machine().serialPort.bluetooth == "btattach, pid 51,")
  #expect(try tree.machine().bluetoothDrivers == [])
  try tree.link("/sys/bus/serial/devices/serial0-0/driver", to: "../../../bus/serial/drivers/hci_uart_bcm")
  try tree.link("/sys/bus/serial/devices/serial1-0/driver", to: "../../../bus/serial/drivers/gnss-ubx")
  #expect(try tree.machine().bluetoothDrivers == ["hci_uart_bcm"])
}

@Test func `other processes with the port open are found, this process is not`() throws {
  let tree = try FakeTree.withPort()
  try tree.process(60, ["/usr/sbin/gpsd", "-N"], open: ["/dev/null", "/dev/ttyAMA0"])
  try tree.process(61, ["/usr/bin/cat"], open: ["/dev/ttyAMA1"])
  try tree.process(Int(getpid()), ["/usr/bin/onefixd"], open: ["/dev/ttyAMA0"])
  #expect(try tree.machine().serialPort.holders == [Machine.Process(pid: 60, name: "gpsd")])
}

@Test func `an I2C bus has its adapter, its speed and the driver of the address, and an absent bus is not probed`()
  throws
{
  let tree = try FakeTree()
  let absent = try tree.machine("i2c:/dev/i2c-1:0x42")
  #expect(absent.files["/dev/i2c-1"] == nil && absent.i2cBus == Machine.I2CBus())
  try tree.device("/dev/i2c-1")
  try tree.copy("/dev/gnss", of: "/dev/i2c-1")
  try tree.file("/sys/class/i2c-dev/i2c-1/name", "bcm2835 (i2c@7e804000)\n")
  try tree.file("/sys/class/i2c-dev/i2c-1/device/of_node/clock-frequency", [0x00, 0x06, 0x1A, 0x80])
  #expect(try tree.machine("i2c:/dev/i2c-1:0x10").i2cBus.probeResult == .silent)
  // The node and its copy are one bus.
  for path in ["/dev/i2c-1", "/dev/gnss"] {
    let bus = try tree.machine("i2c:\(path):0x42").i2cBus
    #expect(bus.adapter == "bcm2835 (i2c@7e804000)" && bus.frequency == 400_000)
    #expect(bus.driver == nil && bus.probeResult == .replied)
  }
  // An address with a driver is not probed.
  try tree.link("/sys/bus/i2c/devices/1-0042/driver", to: "../../../../bus/i2c/drivers/fan53555-regulator")
  for path in ["/dev/i2c-1", "/dev/gnss"] {
    let bus = try tree.machine("i2c:\(path):0x42").i2cBus
    #expect(bus.driver == "fan53555-regulator" && bus.probeResult == .notProbed)
  }
}

@Test func `chips, LEDs and persistent pins are read only for a real board`() throws {
  let tree = try FakeTree()
  try tree.device("/dev/gpiochip0")
  try tree.device("/dev/gpiomem")
  try tree.file("/sys/class/leds/ACT/brightness", "0\n")
  try tree.file("/sys/module/pinctrl_bcm2835/parameters/persist_gpio_outputs", "Y\n")
  try tree.file("/sys/module/pinctrl_rp1/parameters/persist_gpio_outputs", "N\n")
  let machine = try tree.machine("simulated")
  #expect(machine.chips.map(\.label) == ["pins"])
  #expect(machine.files.keys.sorted() == ["/dev/gpiochip0"])
  #expect(machine.leds["ACT"]?.path == "/sys/class/leds/ACT/brightness")
  #expect(machine.persistentPins == ["pinctrl-bcm"])
  let simulated = try tree.machine("simulated", isSimulated: true)
  #expect(simulated.chips == [] && simulated.files == [:] && simulated.leds == [:])
}

@Test func `a link to a chip is no second chip`() throws {
  let tree = try FakeTree()
  try tree.device("/dev/gpiochip0")
  try tree.link("/dev/gpiochip4", to: "gpiochip0")
  try tree.copy("/dev/gpiochip5", of: "/dev/gpiochip0")
  try tree.link("/dev/gpiochip6", to: "gpiochip9")
  #expect(try tree.machine("simulated").chipFiles.map(\.path) == ["/dev/gpiochip0"])
}

@Test func `a copy of a port's node is the port itself, with permissions of its own`() throws {
  let tree = try FakeTree()
  try tree.device("/dev/ttyUSB0", mode: 0o600)
  try tree.copy("/dev/gnss", of: "/dev/ttyUSB0")
  try tree.link("/dev/serial/by-id/usb-u-blox-if00", to: "../../gnss")
  try tree.file("/proc/cmdline", "console=ttyUSB0")
  try tree.process(60, ["/usr/sbin/gpsd"], open: ["/dev/gnss"])
  try tree.process(61, ["/usr/bin/minicom"], open: ["/dev/ttyUSB0"])
  try tree.process(62, ["/sbin/agetty", "ttyUSB0"])
  for path in ["/dev/gnss", "/dev/ttyUSB0", "/dev/serial/by-id/usb-u-blox-if00"] {
    let machine = try tree.machine("uart:\(path)")
    #expect(machine.device(path) == "/dev/ttyUSB0")
    #expect(machine.files[path]?.copy == (path == "/dev/ttyUSB0" ? nil : "/dev/gnss"))
    #expect(machine.files["/dev/ttyUSB0"]?.mode == 0o600)
    #expect(machine.serialPort.isConsole && machine.serialPort.login == "agetty, pid 62,")
    #expect(machine.serialPort.holders.map(\.pid) == [60, 61])
  }
}

/// A feature with a file, a folder, a port, a socket and a program.
private struct Reading: CheckedFeature {
  static let table = "reading"
  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {}
  var objects: [MachineObject] {
    [.file("/run/a.sock"), .file("/run/"), .port("/dev/cable"), .endpoint(.socket("/run/s")), .program("gpsd")]
  }
}

@Test func `the reader reads the objects of the features, files with the set-group-ID bit`() throws {
  let tree = try FakeTree()
  try tree.file("/run/a.sock", "")
  for name in ["ttyAMA0", "ttyS2"] { try tree.device("/dev/\(name)") }
  try tree.link("/dev/serial0", to: "ttyAMA0")
  try tree.link("/dev/cable", to: "ttyS2")
  try tree.file("/proc/cmdline", "console=ttyS2")
  try tree.process(42, ["gpsd"])
  let subject = try subject(of: "", [Reading.self])
  let machine = tree.reader.machine(for: subject, user: onefix)
  #expect(machine.ports["/dev/cable"]?.isConsole == true && !machine.serialPort.isConsole)
  #expect(machine.files["/dev/cable"]?.path == "/dev/ttyS2" && machine.files["/dev/cable"]?.kind == .device)
  #expect(machine.listeningAddresses["/run/s"]?.isInUse == false)
  #expect(machine.programs == ["gpsd": [Machine.Process(pid: 42, name: "gpsd")]])
  for mode: mode_t in [0o750, 0o2750] {
    #expect(unsafe chmod(tree.path + "/run/", mode) == 0)
    let files = tree.reader.machine(for: subject, user: onefix).files
    #expect(files["/run/a.sock"]?.path == "/run/a.sock" && files["/run/"]?.path == "/run")
    #expect(files["/run/"]?.mode == UInt32(mode) && files["/run/"]?.isSetGroupID == (mode == 0o2750))
  }
}
