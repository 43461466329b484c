import Configuration

extension Subject {
  /// Returns the findings about the owner's console. No other program may use the console's port.
  func consoleFindings(on machine: Machine) -> [Finding] {
    guard let console = configuration.console else { return [] }
    let port = CheckedPort(path: console.port, name: "the console", location: console.portLocation, codes: .console)
    return conflictFindings(port, on: machine) + portFindings(port, machine.ports[console.port] ?? .init(), on: machine)
      + pinFindings(console, machine.files[console.port], on: machine)
  }

  /// Returns a finding if the receiver or an app uses the console's port.
  private func conflictFindings(_ port: CheckedPort, on machine: Machine) -> [Finding] {
    let device = machine.device(port.path)
    var found: [Finding] = []
    if case .uart(let path, _) = receiver, machine.device(path) == device {
      found.append(
        port.finding(
          .consoleTaken, "\(port.path) is the receiver's port (\(receiverLocation))",
          remedy: "give the console a port of its own"))
    }
    if configuration.serialPorts.contains(where: { machine.device($0.port) == device }) {
      found.append(
        port.finding(
          .consoleTaken, "\(port.path) is the port of an app",
          remedy: "give the console a port of its own"))
    }
    return found
  }

  /// Returns the findings about the console's PIN. Only the PIN proves that the user of a serial line is an owner.
  private func pinFindings(_ console: ConsoleSettings, _ file: DeviceFile?, on machine: Machine) -> [Finding] {
    func fault(_ message: String, remedy: String) -> [Finding] {
      [Finding(.consolePIN, .error, at: console.pinLocation, "the console: \(message)", remedy: remedy)]
    }
    guard let path = console.pinFile else {
      // Only root or the daemon's user may own the pseudo-terminal. If a different user owned it, every program of this
      // user could use the other end of the pseudo-terminal.
      if let file, file.isPseudoTerminal, file.owner == 0 || file.owner == machine.user.uid { return [] }
      return fault(
        "everyone at the other end of \(console.port) would have the rights of an owner, without a PIN",
        remedy: "run onefixd console-pin --file /etc/onefix/console.pin, and set pin_file = \"/etc/onefix/console.pin\""
      )
    }
    guard let pin = machine.files[path] else {
      return fault("\(path) does not exist", remedy: "run onefixd console-pin --file \(path)")
    }
    if pin.mode & 0o077 != 0 {
      return fault("users other than its owner can access \(path)", remedy: "chmod 600 \(path)")
    }
    guard pin.isReadable(by: machine.user, in: machine.accounts) else {
      return fault(
        "user \(machine.user.name) has no permission to read \(path)", remedy: "chown \(machine.user.name) \(path)")
    }
    return []
  }
}
