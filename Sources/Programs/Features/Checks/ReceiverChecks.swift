import Base
import Configuration
import OperatingSystem

extension Subject {
  func receiverFindings(on machine: Machine) -> [Finding] {
    switch receiver {
    case .simulated: []
    case .replay(let path, _): recordingFindings(path, on: machine)
    case .uart(let path, _): uartFindings(path, on: machine) + sharingFindings(path, "tty", on: machine)
    case .i2c(let path, let address):
      i2cFindings(path, address, on: machine) + sharingFindings(path, "i2c-dev", on: machine)
    case .gpsd(let host, let port): gpsdFindings(host, port)
    }
  }

  private func finding(_ fault: Fault, _ values: [String: String], repairs: [Repair] = []) -> Finding {
    Finding(fault, at: receiverLocation, values, repairs: repairs)
  }

  private func recordingFindings(_ path: String, on machine: Machine) -> [Finding] {
    machine.files[path] == nil ? [finding(.recordingAbsent, ["path": path])] : []
  }

  // MARK: UART

  private func uartFindings(_ path: String, on machine: Machine) -> [Finding] {
    let port = receiverPort(path)
    guard let file = machine.files[path] else {
      if canBeOfBluetooth(path, on: machine), let driver = machine.bluetoothDrivers.first {
        return [port.finding(.receiverPortTaken, ["driver": driver], repairs: [.withoutBluetooth])]
      }
      return [port.finding(port.faults.absent, repairs: uartRepairs(path, on: machine))]
    }
    guard file.kind == .device else { return [port.finding(port.faults.unsuitable)] }
    return usageFindings(port, file, machine.serialPort, on: machine)
  }

  private func receiverPort(_ path: String) -> CheckedPort {
    CheckedPort(receiver: path, location: receiverLocation)
  }

  /// Returns the changes that enable the serial port of a Raspberry Pi; empty for any other port or machine.
  private func uartRepairs(_ path: String, on machine: Machine) -> [Repair] {
    guard board.isForRaspberryPi, ["/dev/ttyAMA0", "/dev/ttyS0", "/dev/serial0"].contains(path) else { return [] }
    return [.boot(isOnRaspberryPi5(machine) ? "dtparam=uart0=on" : "enable_uart=1")]
  }

  /// Whether a Bluetooth chip can use the serial port with this path. On a Raspberry Pi, `/dev/serial0` is never the
  /// port of the Bluetooth chip, and the Bluetooth chip of a Raspberry Pi 5 has a port of its own.
  private func canBeOfBluetooth(_ path: String, on machine: Machine) -> Bool {
    !board.isForRaspberryPi || path != "/dev/serial0" && !isOnRaspberryPi5(machine)
  }

  /// Whether the board is a Raspberry Pi 5, or a HAT on a Raspberry Pi 5.
  private func isOnRaspberryPi5(_ machine: Machine) -> Bool {
    board.name == "raspberry-pi-5" || machine.chips.contains { $0.label == "pinctrl-rp1" }
  }

  // MARK: I2C

  private func i2cFindings(_ path: String, _ address: UInt16, on machine: Machine) -> [Finding] {
    let bus = machine.i2cBus
    let receiver = "0x\(address.digits(2, radix: 16))"
    guard let file = machine.files[path] else {
      return [finding(.busAbsent, ["path": path], repairs: Repair.enabling(bus: path, on: board))]
    }
    guard file.kind == .device else { return [finding(.busUnsuitable, ["path": path])] }
    var found = [machine.sandboxFinding(file, at: receiverLocation)].compactMap(\.self)
    if let denied = deniedFinding(receiverPort(path), file, "i2c-dev", on: machine) {
      found.append(denied)
    } else if let driver = bus.driver {
      found.append(finding(.busTaken, ["path": path, "driver": driver, "address": receiver]))
    } else {
      switch bus.probeResult {
      case .replied: break
      case .silent: found.append(finding(.busSilent, ["path": path, "address": receiver, "bus": busNumber(file)]))
      case .notProbed: found.append(finding(.busUnseen, ["path": path, "user": machine.user.name]))
      }
    }
    if bus.adapter.hasPrefix("bcm2835") {
      let speed = bus.frequency.map { ", which runs at \($0 / 1000) kHz" } ?? ""
      let effect = "the bus runs at 100 kHz, and has fewer errors of this kind"
      found.append(
        finding(
          .busStretching, ["path": path, "speed": speed],
          repairs: [.bootChoice("dtparam=i2c_arm_baudrate=100000", effect: effect)]))
    }
    // u-blox receivers support an I2C clock of at most 400 kHz, and do not use the address 0x10. (u-blox, integration
    // manuals of M8, M9 and M10, "DDC")
    if let frequency = bus.frequency, frequency > 400_000, address != 0x10 {
      found.append(
        finding(
          .busFast, ["path": path, "frequency": "\(frequency / 1000)"],
          repairs: [.boot("dtparam=i2c_arm_baudrate=100000")]))
    }
    return found
  }

  private func busNumber(_ file: DeviceFile) -> String {
    file.name.split(separator: "-").last.map(String.init) ?? "N"
  }

  // MARK: Sharing

  /// Returns a problem for each device file of the receiver that users other than root and the daemon's user can read.
  /// Such users can read the location without a press of the button.
  private func sharingFindings(_ path: String, _ subsystem: String, on machine: Machine) -> [Finding] {
    guard !board.isSimulated, let file = machine.files[path], file.kind == .device else { return [] }
    let nodes = file.copy == nil ? [file] : [file, machine.files[file.path]].compactMap(\.self)
    return nodes.compactMap { node in
      machine.otherReaders(of: node).map { readers in
        shared(
          .deviceShared,
          [
            "node": node.node, "readers": readers,
            "remedy": machine.ownershipRemedy(of: node, subsystem: subsystem),
          ], repairs: machine.ownershipRepairs(of: node, subsystem: subsystem))
      }
    }
  }

  private func gpsdFindings(_ host: String, _ port: Int) -> [Finding] {
    guard !board.isSimulated else { return [] }
    let isLocal = ["127.0.0.1", "::1", "localhost"].contains(host)
    let readers = isLocal ? "every user of this machine" : "everyone who can reach that address"
    return [shared(.gpsdShared, ["address": hostAndPort(host, port), "readers": readers])]
  }

  private func shared(_ fault: Fault, _ values: [String: String], repairs: [Repair] = []) -> Finding {
    let isPermitted = configuration.allowsSharedReceiver
    // The owner has chosen a shared receiver, so the script does not change it.
    return finding(
      fault.permitted(isPermitted, by: "allow_shared_receiver"), values, repairs: isPermitted ? [] : repairs)
  }
}

extension Machine {
  /// Returns the advice on how to make the daemon's user the only one with access to a device. The daemon's group gets
  /// no access, because apps can be members of this group.
  func ownershipRemedy(of file: DeviceFile, subsystem: String) -> String {
    if let copy = file.copy { return "use \(file.path), and remove \(copy): no udev rule reaches this copy" }
    return "add a udev rule that gives it only to the daemon: "
      + Repair.ownershipRule(file.ruleCondition, subsystem: subsystem, user: user.name)
  }

  func ownershipRepairs(of file: DeviceFile, subsystem: String) -> [Repair] {
    file.copy == nil ? [.own(file.ruleCondition, subsystem: subsystem)] : []
  }

  /// Returns the users and groups that can read a device, in words for a message, except root and the daemon's user.
  /// The result is nil if there are none.
  func otherReaders(of file: DeviceFile) -> String? {
    if file.mode & 0o004 != 0 { return "everyone on this machine" }
    var readers: [String] = []
    if file.owner != 0, file.owner != user.uid, file.mode & 0o400 != 0 {
      readers.append("its owner \(accounts.userName(file.owner))")
    }
    if file.mode & 0o040 != 0 {
      let members = accounts.members(of: file.group).filter { $0 != user.name && $0 != "root" }
      if !members.isEmpty {
        readers.append("group \(accounts.groupName(file.group)) (\(members.joined(separator: ", ")))")
      }
    }
    return readers.isEmpty ? nil : readers.joined(separator: " and ")
  }
}
