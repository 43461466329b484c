import BoardProfile

extension Subject {
  /// What is to be said of the owner's terminal. A port on which anybody else speaks would be two masters' servant.
  func consoleFindings(on machine: Machine) -> [Finding] {
    guard let console else { return [] }
    let file = machine.files[console.port]
    return takenFindings(console, file, on: machine) + portFindings(console, file, on: machine)
      + pinFindings(console, file, on: machine)
  }

  private func finding(
    _ code: FindingCode, _ console: ConsoleSettings, _ message: String, severity: Finding.Severity = .error,
    remedy: String?
  ) -> Finding {
    Finding(code, severity, at: console.portPlace, "the console: \(message)", remedy: remedy)
  }

  /// A port is the receiver's, an app's or the owner's.
  private func takenFindings(_ console: ConsoleSettings, _ file: DeviceFile?, on machine: Machine) -> [Finding] {
    let device = file?.path ?? console.port
    func isSame(_ path: String) -> Bool { path == console.port || (machine.files[path]?.path ?? path) == device }
    var found: [Finding] = []
    if case .uart(let path, _) = receiver, isSame(path) {
      found.append(
        finding(
          .consoleTaken, console, "\(console.port) is the receiver's port (\(receiverPlace))",
          remedy: "give the console a port of its own"))
    }
    if protocolPorts.contains(where: isSame) {
      found.append(
        finding(
          .consoleTaken, console, "\(console.port) carries the line protocol to an app",
          remedy: "a port is one or the other: give the console a port of its own"))
    }
    return found
  }

  private func portFindings(_ console: ConsoleSettings, _ file: DeviceFile?, on machine: Machine) -> [Finding] {
    guard let file else {
      return [
        finding(
          .consoleAbsent, console, "there is no \(console.port); it is opened once it is there", severity: .warning,
          remedy: "is the port enabled (the board's README), and the adapter plugged in? see ls /dev/tty* /dev/serial*")
      ]
    }
    guard file.kind == .device else {
      return [
        finding(
          .consoleUnsuitable, console, "\(console.port) is no serial port", remedy: "name a tty, as in /dev/ttyS0")
      ]
    }
    let port = machine.consolePort
    var found: [Finding] = []
    if port.isConsole {
      found.append(
        finding(
          .consoleKernel, console, "the kernel writes its messages to \(file.path)",
          remedy: "take console=\(file.name) (or console=serial0) out of the kernel's command line, and restart"))
    }
    if let login = port.login {
      found.append(
        finding(
          .consoleLogin, console, "\(login) offers a login on \(file.path)",
          remedy: "sudo systemctl mask --now serial-getty@\(file.name).service"))
    }
    if let bluetooth = port.bluetooth {
      found.append(
        finding(
          .consoleBluetooth, console, "\(bluetooth) has a Bluetooth chip on \(file.path)",
          remedy: "use another port, or switch Bluetooth off: dtoverlay=disable-bt on a Raspberry Pi"))
    }
    if !file.isOpen(to: machine.user, in: machine.accounts) {
      found.append(
        finding(
          .consoleDenied, console, "user \(machine.user.name) may not open \(file.path)",
          remedy: machine.wayIn(to: file, subsystem: "tty")))
    }
    return found + holderFindings(console, port.holders, file)
  }

  private func holderFindings(
    _ console: ConsoleSettings, _ holders: [Machine.Process], _ file: DeviceFile
  ) -> [Finding] {
    // The program at the other end of a pseudo-terminal has this one open, too.
    guard !file.isPseudoTerminal else { return [] }
    return holders.map { holder in
      if holder.name == "onefixd" {
        return finding(
          .consoleHeld, console, "\(file.path) is held by the daemon that runs (\(holder))", severity: .note,
          remedy: nil)
      }
      return finding(
        .consoleBusy, console, "\(file.path) is open in another program: \(holder)",
        remedy: "end it: two who read take each other's bytes")
    }
  }

  /// Who is at the end of a cable is not known: only the PIN says that it is the owner.
  private func pinFindings(_ console: ConsoleSettings, _ file: DeviceFile?, on machine: Machine) -> [Finding] {
    func fault(_ message: String, remedy: String) -> [Finding] {
      [Finding(.consolePIN, .error, at: console.pinPlace, "the console: \(message)", remedy: remedy)]
    }
    guard let path = console.pinFile else {
      // One that belongs to somebody else may have anybody at its other end.
      if let file, file.isPseudoTerminal, file.owner == 0 || file.owner == machine.user.uid { return [] }
      return fault(
        "whoever is at the other end of \(console.port) would be an owner, without a PIN",
        remedy: "onefixd console-pin --file /etc/onefix/console.pin, and pin_file = \"/etc/onefix/console.pin\"")
    }
    guard let pin = machine.files[path] else {
      return fault("there is no \(path)", remedy: "onefixd console-pin --file \(path) makes it")
    }
    if pin.mode & 0o077 != 0 {
      return fault("others than its owner may use \(path)", remedy: "chmod 600 \(path)")
    }
    guard pin.isReadable(by: machine.user, in: machine.accounts) else {
      return fault(
        "user \(machine.user.name) may not read \(path)", remedy: "chown \(machine.user.name) \(path)")
    }
    return []
  }
}
