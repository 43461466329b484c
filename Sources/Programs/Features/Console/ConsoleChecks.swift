import Base
import LineProtocol

/// The problems of the file with the console's PIN. At a serial port, only the PIN proves that a person is an owner.
private enum PINFaults {
  static let missing = fault(
    "everyone at the other end of {port} would have the rights of an owner, without a PIN",
    remedy: "run onefixd console-pin --file /etc/onefix/console.pin, and set pin_file = \"/etc/onefix/console.pin\"")
  static let absent = fault("{path} does not exist", remedy: "run onefixd console-pin --file {path}")
  static let open = fault("users other than its owner can access {path}", remedy: "chmod 600 {path}")
  static let denied = fault("user {user} has no permission to read {path}", remedy: "chown {user} {path}")
  static let malformed = fault(
    "{path} has no hash of a PIN", remedy: "onefixd console-pin --file {path} creates it again")

  static let all: Set = [missing, absent, open, denied]

  private static func fault(_ message: String, remedy: String) -> Fault {
    Fault("console-pin", "the console: \(message)", remedy: remedy, isConfiguration: true)
  }
}

extension ConsoleFeature: CheckedFeature {
  var objects: [MachineObject] { [.port(port)] + [pinFile].compactMap(\.self).map { .file($0) } }
  var closingFaults: Set<Fault> { PortFaults.feature.closing.union(PINFaults.all) }
  var isCheckedWithSimulatedBoard: Bool { true }

  /// Returns the problems of the console, for example another program at its serial port.
  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    let port = CheckedPort(path: port, role: "console", name: "the console", location: portLocation)
    let apps = subject.features.filter { !($0 is Self) }.flatMap(\.serialPorts)
    let isAppPort = apps.contains { machine.device($0) == machine.device(port.path) }
    let conflict = port.finding(.portTaken, ["other": "an app", "owner": "the console"])
    return subject.receiverConflict(port, owner: "the console", on: machine)
      + (isAppPort ? [conflict] : []) + subject.portFindings(port, on: machine)
      + pinFindings(machine.files[port.path], on: machine)
      + (pressOutput.map { [subject.eachPressFinding(to: "the console", of: $0.app.name, at: portLocation)] } ?? [])
  }

  private func pinFindings(_ file: DeviceFile?, on machine: Machine) -> [Finding] {
    let fault: Fault?
    if let path = pinFile {
      switch machine.files[path] {
      case nil: fault = PINFaults.absent
      case let pin? where pin.mode & 0o077 != 0: fault = PINFaults.open
      case let pin?: fault = pin.isReadable(by: machine.user, in: machine.accounts) ? nil : PINFaults.denied
      }
    } else if let file, file.isPseudoTerminal, file.owner == 0 || file.owner == machine.user.uid {
      // Only root or the daemon's user may own the pseudo-terminal. If a different user owned it, every program of this
      // user could use the other end of the pseudo-terminal.
      fault = nil
    } else {
      fault = PINFaults.missing
    }
    let values = ["port": port, "path": pinFile ?? "", "user": machine.user.name]
    return fault.map { [Finding($0, at: pinLocation, values)] } ?? []
  }

  func contentFindings(at now: UTCTime) -> [Finding] {
    do throws(PINError) {
      if let pinFile { _ = try PINFile.read(pinFile) }
    } catch .malformed(let path) {
      return [Finding(PINFaults.malformed, at: pinLocation, ["path": path])]
    } catch {
      // `pinFindings` reports a file that cannot be read.
    }
    return []
  }
}
