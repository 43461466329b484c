import Configuration
import MachineChecks

extension FindingCode {
  /// The console's port is also the port of the receiver or of an app.
  static let consoleTaken = Self("console-taken", isConfiguration: true)
  /// A console without a PIN gives everyone at the other end the rights of an owner.
  static let consolePIN = Self("console-pin", isConfiguration: true)
}

extension ConsoleFeature: CheckedFeature {
  private static let codes = CheckedPort.Codes(role: "console")

  var objects: [MachineObject] { [.port(port)] + [pinFile].compactMap(\.self).map { .file($0) } }
  var closingCodes: Set<FindingCode> { Self.codes.closing.union([.consoleTaken, .consolePIN]) }
  var isCheckedWithSimulatedBoard: Bool { true }

  /// Returns the findings about the owner's console. No other program may use the console's port.
  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    let port = CheckedPort(path: port, name: "the console", location: portLocation, codes: Self.codes)
    let apps = subject.features.filter { !($0 is Self) }.flatMap(\.serialPorts)
    let isAppPort = apps.contains { machine.device($0) == machine.device(port.path) }
    let conflict = port.finding(
      .consoleTaken, "\(port.path) is the port of an app", remedy: "give the console a port of its own")
    return subject.receiverConflict(.consoleTaken, port, owner: "the console", on: machine)
      + (isAppPort ? [conflict] : []) + subject.portFindings(port, on: machine)
      + pinFindings(machine.files[port.path], on: machine)
  }

  /// Returns the findings about the console's PIN. Only the PIN proves that the user of a serial line is an owner.
  private func pinFindings(_ file: DeviceFile?, on machine: Machine) -> [Finding] {
    func fault(_ message: String, remedy: String) -> [Finding] {
      [Finding(.consolePIN, .error, at: pinLocation, "the console: \(message)", remedy: remedy)]
    }
    guard let path = pinFile else {
      // Only root or the daemon's user may own the pseudo-terminal. If a different user owned it, every program of this
      // user could use the other end of the pseudo-terminal.
      if let file, file.isPseudoTerminal, file.owner == 0 || file.owner == machine.user.uid { return [] }
      return fault(
        "everyone at the other end of \(port) would have the rights of an owner, without a PIN",
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
