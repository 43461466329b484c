import Base
import Configuration
package import Glibc
import LinuxHardware
import OperatingSystem

/// Reads the state of this machine for `onefixd check`. The reader opens no serial port, requests no GPIO line, and
/// reads only those I2C registers that do not disturb a receiver.
package struct MachineReader: Sendable {
  let tree: FileTree
  let chips: @Sendable () -> [Machine.Chip]
  let probe: @Sendable (_ bus: String, _ address: UInt16) -> Machine.I2CBus.ProbeResult

  /// Creates a reader of this machine, or of test data.
  /// - Parameters:
  ///   - root: A folder that contains `dev`, `etc`, `proc`, `run` and `sys`; empty for the machine itself.
  ///   - deviceType: The type of the files that count as devices.
  ///   - chips: Returns the GPIO chips that the process can open.
  ///   - probe: Returns whether a receiver replies at an address of an I2C bus.
  package init(
    root: String = "", deviceType: mode_t = S_IFCHR,
    chips: @escaping @Sendable () -> [Machine.Chip] = MachineReader.presentChips,
    probe: @escaping @Sendable (_ bus: String, _ address: UInt16) -> Machine.I2CBus.ProbeResult = MachineReader
      .probeReceiver
  ) {
    tree = FileTree(root: root, deviceType: deviceType)
    self.chips = chips
    self.probe = probe
  }

  package var accounts: Accounts {
    Accounts(passwd: tree.text(of: "/etc/passwd") ?? "", group: tree.text(of: "/etc/group") ?? "")
  }

  /// The Unix user of this process. If `/etc/passwd` has no such user, the name is the number.
  package var ownUser: Accounts.User {
    accounts.users.first { $0.uid == geteuid() } ?? Accounts.User(name: "\(geteuid())", uid: geteuid(), gid: getegid())
  }

  /// Reads the parts of the machine's state that matter for a configuration.
  package func machine(for subject: Subject, user: Accounts.User) -> Machine {
    var machine = Machine()
    machine.user = user
    machine.accounts = accounts
    machine.sandbox = sandbox(of: user)
    machine.kernel = tree.text(of: "/proc/sys/kernel/osrelease").flatMap { Machine.Kernel(release: $0) }
    if !subject.board.isSimulated {
      for path in tree.names(in: "/dev").map({ "/dev/\($0)" }) where path.hasPrefix("/dev/gpiochip") {
        // Links and copies are other names of chips.
        if let file = tree.file(at: path), file.path == path { machine.files[path] = file }
      }
      machine.chips = chips()
      for name in tree.names(in: "/sys/class/leds") {
        machine.leds[name] = ledFile(name)
      }
      machine.persistentPins = persistentPins
    }
    if let key = subject.keyFile { machine.files[key] = tree.file(at: key) }
    if subject.checksConfigurationFile, let file = tree.file(at: Subject.configurationFile) {
      machine.files[Subject.configurationFile] = file
      let folder = Machine.folder(of: file.path)
      machine.files[folder] = tree.file(at: folder)
    }
    machine.clock = SystemClock.reading.utc
    if let files = subject.stateFiles {
      for path in [files.state, files.anchor] { machine.storage[path] = storage(ofChangesTo: path) }
      machine.storage[files.key] = storage(ofContentsOf: files.key)
    }
    for object in subject.features.flatMap(\.objects) { read(object, into: &machine) }
    switch subject.receiver {
    case .simulated, .gpsd: break
    case .replay(let path, _): machine.files[path] = tree.file(at: path)
    case .uart(let path, _):
      machine.bluetoothDrivers = bluetoothDrivers
      if let file = readDevice(path, into: &machine) { machine.serialPort = serialPort(file, path) }
    case .i2c(let path, let address):
      if let file = readDevice(path, into: &machine), file.kind == .device { machine.i2cBus = i2cBus(file, address) }
    }
    return machine
  }

  /// Adds a configured file to `machine.files`, and returns the file; nil if the file does not exist. If the file is a
  /// copy of a device node, the function also adds the node of the kernel.
  private func readDevice(_ path: String, into machine: inout Machine) -> DeviceFile? {
    guard let file = tree.file(at: path) else { return nil }
    machine.files[path] = file
    if file.copy != nil { machine.files[file.path] = tree.file(at: file.path) }
    return file
  }

  private func read(_ object: MachineObject, into machine: inout Machine) {
    switch object {
    case .file(let path): machine.files[path] = tree.file(at: path)
    case .port(let path):
      if let file = readDevice(path, into: &machine) { machine.ports[path] = serialPort(file, path) }
    case .endpoint(let endpoint): machine.listeningAddresses["\(endpoint)"] = listeningAddress(endpoint)
    case .program(let name): machine.programs[name] = processes(of: name)
    case .pwmChips: machine.pwmChips = tree.names(in: "/sys/class/pwm").compactMap(pwmChip)
    }
  }

  private func ledFile(_ name: String) -> DeviceFile? {
    // Messages show this path, because few users know the long resolved path.
    tree.file(at: "/sys/class/leds/\(name)/brightness").map { file in
      var file = file
      file.path = "/sys/class/leds/\(name)/brightness"
      return file
    }
  }

  private func pwmChip(_ name: String) -> Machine.PWMChip? {
    let folder = "/sys/class/pwm/\(name)"
    guard var export = tree.file(at: "\(folder)/export") else { return nil }
    export.path = "\(folder)/export"
    let channels = tree.text(of: "\(folder)/npwm").flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    let device = tree.link(at: "\(folder)/device")?.split(separator: "/").last.map(String.init)
    return Machine.PWMChip(name: name, device: device, channels: channels, export: export)
  }

  /// The GPIO drivers that keep the state of an output after a program has released the GPIO line. In kernels for the
  /// Raspberry Pi, this setting is on by default. (raspberrypi/linux, pull request 6150)
  private var persistentPins: Set<String> {
    let drivers = [("pinctrl_bcm2835", "pinctrl-bcm"), ("pinctrl_rp1", "pinctrl-rp1")]
    return Set(
      drivers.filter { tree.text(of: "/sys/module/\($0.0)/parameters/persist_gpio_outputs")?.first == "Y" }.map(\.1))
  }

  /// The Bluetooth drivers on the kernel's serial device bus. The kernel creates no tty for a UART with such a driver.
  private var bluetoothDrivers: [String] {
    tree.names(in: "/sys/bus/serial/devices").compactMap { name in
      let driver = tree.link(at: "/sys/bus/serial/devices/\(name)/driver")?.split(separator: "/").last.map(String.init)
      return driver.flatMap { $0.hasPrefix("hci_uart") || $0.hasPrefix("bt") ? $0 : nil }
    }
  }

  // MARK: I2C

  private func i2cBus(_ file: DeviceFile, _ address: UInt16) -> Machine.I2CBus {
    var bus = Machine.I2CBus()
    let name = file.path.split(separator: "/").last.map(String.init) ?? ""
    let number = name.drop { $0 != "-" }.dropFirst()
    let folder = "/sys/class/i2c-dev/\(name)"
    bus.adapter = tree.text(of: "\(folder)/name")?.split(separator: "\n").first.map(String.init) ?? ""
    // Numbers in the device tree are big-endian.
    if let bytes = tree.bytes(of: "\(folder)/device/of_node/clock-frequency"), bytes.count == 4 {
      bus.frequency = bytes.reduce(0) { $0 << 8 | Int($1) }
    }
    let device = "\(number)-\(address.digits(4, radix: 16))"
    bus.driver = tree.link(at: "/sys/bus/i2c/devices/\(device)/driver")?.split(separator: "/").last.map(String.init)
    if bus.driver == nil { bus.probeResult = probe(file.path, address) }
    return bus
  }

  package static let probeReceiver: @Sendable (String, UInt16) -> Machine.I2CBus.ProbeResult = { bus, address in
    switch I2CProbe.answers(path: bus, address: address) {
    case true: .replied
    case false: .silent
    case nil: .notProbed
    }
  }

  package static let presentChips: @Sendable () -> [Machine.Chip] = {
    guard let present = try? GPIOChips.present() else { return [] }
    return present.chips.map { chip in
      Machine.Chip(
        path: chip.path, label: chip.label,
        lines: chip.lines.map { Machine.Chip.Line(name: $0.name, consumer: $0.consumer) })
    }
  }
}
