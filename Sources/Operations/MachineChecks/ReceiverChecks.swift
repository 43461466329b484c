import Configuration

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

  private func finding(_ code: FindingCode, _ message: String, remedy: String) -> Finding {
    finding(code, .error, message, remedy: remedy)
  }

  private func finding(
    _ code: FindingCode, _ severity: Finding.Severity, _ message: String, remedy: String? = nil
  ) -> Finding {
    Finding(code, severity, at: receiverPlace, message, remedy: remedy)
  }

  private func recordingFindings(_ path: String, on machine: Machine) -> [Finding] {
    machine.files[path] == nil
      ? [finding(.receiverAbsent, "there is no file \(path)", remedy: "is the path right?")] : []
  }

  // MARK: UART

  private func uartFindings(_ path: String, on machine: Machine) -> [Finding] {
    guard let file = machine.files[path] else {
      if let driver = machine.bluetoothDrivers.first {
        return [
          finding(
            .uartBluetooth, "there is no \(path), and the Bluetooth driver \(driver) has a serial port of its own",
            remedy: "where that is the one: dtoverlay=disable-bt or dtoverlay=miniuart-bt on a Raspberry Pi")
        ]
      }
      return [
        finding(
          .receiverAbsent, "there is no \(path)",
          remedy: "is the port enabled (the board's README), and the receiver plugged in? see ls /dev/tty* /dev/serial*"
        )
      ]
    }
    guard file.kind == .device else {
      return [
        finding(
          .receiverUnsuitable, "\(path) is no serial port",
          remedy: "name a tty, as in uart:/dev/ttyS0; a recorded log is read with replay:\(path)")
      ]
    }
    var found: [Finding] = []
    let port = machine.serialPort
    if port.isConsole {
      found.append(
        finding(
          .uartConsole, "the kernel writes its messages to \(file.path)",
          remedy: "take console=\(file.name) (or console=serial0) out of the kernel's command line, and restart"))
    }
    if let login = port.login {
      found.append(
        finding(
          .uartLogin, "\(login) offers a login on \(file.path), and takes the receiver's bytes",
          remedy: "sudo systemctl mask --now serial-getty@\(file.name).service"))
    }
    if let bluetooth = port.bluetooth {
      found.append(
        finding(
          .uartBluetooth, "\(bluetooth) has a Bluetooth chip on \(file.path)",
          remedy: "use another port, or switch Bluetooth off: dtoverlay=disable-bt on a Raspberry Pi"))
    }
    return found + [deniedFinding(file, "tty", on: machine)].compactMap(\.self) + holderFindings(port.holders, file)
  }

  private func holderFindings(_ holders: [Machine.Process], _ file: DeviceFile) -> [Finding] {
    holders.map { holder in
      if holder.name == "onefixd" {
        return finding(.receiverHeld, .note, "\(file.path) is held by the daemon that runs (\(holder))")
      }
      return finding(
        .receiverBusy, "\(file.path) is open in another program: \(holder)",
        remedy: holder.name == "gpsd"
          ? "sudo systemctl disable --now gpsd.socket gpsd.service, or use it as the receiver: gpsd"
          : "end it: two readers take each other's bytes")
    }
  }

  private func deniedFinding(_ file: DeviceFile, _ subsystem: String, on machine: Machine) -> Finding? {
    guard !file.isOpen(to: machine.user, in: machine.accounts) else { return nil }
    return finding(
      .receiverDenied, "user \(machine.user.name) may not open \(file.path)",
      remedy: machine.wayIn(to: file, subsystem: subsystem))
  }

  // MARK: I2C

  private func i2cFindings(_ path: String, _ address: UInt16, on machine: Machine) -> [Finding] {
    let bus = machine.i2cBus
    let receiver = "0x" + (address < 16 ? "0" : "") + String(address, radix: 16)
    guard let file = machine.files[path] else {
      return [
        finding(
          .receiverAbsent, "there is no \(path)",
          remedy: "is I2C enabled (the board's README) and the module i2c-dev loaded? see i2cdetect -l")
      ]
    }
    guard file.kind == .device else {
      return [finding(.receiverUnsuitable, "\(path) is no I2C bus", remedy: "name a bus, as in i2c:/dev/i2c-1:0x42")]
    }
    var found: [Finding] = []
    if let denied = deniedFinding(file, "i2c-dev", on: machine) {
      found.append(denied)
    } else if let driver = bus.driver {
      found.append(
        finding(
          .i2cTaken, "the kernel's driver \(driver) has the address \(receiver) on \(path)",
          remedy: "take its overlay away, or use another bus"))
    } else {
      switch bus.answer {
      case .answered: break
      case .silent:
        found.append(
          finding(
            .i2cSilent, "nothing answers at \(receiver) on \(path)",
            remedy: "is the receiver connected and powered, SDA to SDA? see i2cdetect -y \(busNumber(file))"))
      case .unasked:
        found.append(
          finding(
            .i2cUnseen, .note, "the receiver was not asked: you may not open \(path)",
            remedy: "check as root or as user \(machine.user.name)"))
      }
    }
    if bus.adapter.hasPrefix("bcm2835") {
      let speed = bus.frequency.map { ", which runs at \($0 / 1000) kHz" } ?? ""
      found.append(
        finding(
          .i2cStretching, .warning,
          "the controller of \(path)\(speed) reads wrong bits where a receiver stretches the clock: about 20 corrupt "
            + "sentences in 1,000 at 400 kHz",
          remedy: "dtoverlay=i2c-gpio has none; 100 kHz has fewer"))
    }
    // DDC is for up to 400 kHz. (u-blox, integration manuals of M8, M9 and M10) At 0x10 is none of theirs.
    if let frequency = bus.frequency, frequency > 400_000, address != 0x10 {
      found.append(
        finding(
          .i2cFast, .warning, "\(path) runs at \(frequency / 1000) kHz, and u-blox receivers do 400 kHz at most",
          remedy: "clock-frequency in the device tree; dtparam=i2c_arm_baudrate=100000 on a Raspberry Pi"))
    }
    return found
  }

  private func busNumber(_ file: DeviceFile) -> String {
    file.name.split(separator: "-").last.map(String.init) ?? "N"
  }

  // MARK: Sharing

  /// Who else could read the receiver: whoever can knows where the device is, without a press.
  private func sharingFindings(_ path: String, _ subsystem: String, on machine: Machine) -> [Finding] {
    guard !board.isSimulated, let file = machine.files[path], file.kind == .device else { return [] }
    guard let readers = machine.otherReaders(of: file) else { return [] }
    return [
      shared(
        "\(file.path) can be read by \(readers): they know where it is without a press",
        remedy: "a udev rule gives it to the daemon alone: KERNEL==\"\(file.name)\", SUBSYSTEM==\"\(subsystem)\", "
          + "OWNER=\"\(machine.user.name)\", GROUP=\"root\", MODE=\"0600\"")
    ]
  }

  private func gpsdFindings(_ host: String, _ port: Int) -> [Finding] {
    guard !board.isSimulated else { return [] }
    let isLocal = ["127.0.0.1", "::1", "localhost"].contains(host)
    let readers = isLocal ? "every user of this machine" : "everybody who reaches that address"
    return [
      shared(
        "the gpsd at \(host):\(port) tells \(readers) where the receiver is, without a press",
        remedy: "give the receiver to the daemon itself: uart:/dev/… or i2c:/dev/…, and disable gpsd")
    ]
  }

  private func shared(_ message: String, remedy: String) -> Finding {
    allowsSharedReceiver
      ? finding(.receiverShared, .warning, message + " (allow_shared_receiver permits it)", remedy: remedy)
      : finding(.receiverShared, message, remedy: remedy + "; or allow_shared_receiver = true in onefix.toml")
  }
}

extension Machine {
  /// Who may read a device besides root and the daemon's user; nil where nobody may.
  func otherReaders(of file: DeviceFile) -> String? {
    if file.mode & 0o004 != 0 { return "everybody on this machine" }
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
