import Configuration

extension Subject {
  /// What is to be said of the owner's terminal. A port on which anybody else speaks would be two masters' servant.
  func consoleFindings(on machine: Machine) -> [Finding] {
    guard let console else { return [] }
    let port = CheckedPort(path: console.port, name: "the console", place: console.portPlace, codes: .console)
    return takenFindings(port, on: machine) + portFindings(port, machine.consolePort, on: machine)
      + pinFindings(console, machine.files[console.port], on: machine)
  }

  /// A port is the receiver's, an app's or the owner's.
  private func takenFindings(_ port: CheckedPort, on machine: Machine) -> [Finding] {
    let device = machine.device(port.path)
    var found: [Finding] = []
    if case .uart(let path, _) = receiver, machine.device(path) == device {
      found.append(
        port.finding(
          .consoleTaken, "\(port.path) is the receiver's port (\(receiverPlace))",
          remedy: "give the console a port of its own"))
    }
    if protocolPorts.contains(where: { machine.device($0.port) == device }) {
      found.append(
        port.finding(
          .consoleTaken, "\(port.path) carries the line protocol to an app",
          remedy: "a port is one or the other: give the console a port of its own"))
    }
    return found
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
