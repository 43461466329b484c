package import Configuration

/// A serial port that `onefixd check` examines: the receiver's port, or the port of a feature.
package struct CheckedPort {
  package let path: String
  let location: ConfigurationLocation
  let faults: PortFaults
  /// The first word of the codes of this port's problems, as `console` in `console-absent`; nil for the receiver.
  private let role: String?
  /// The name of the feature in messages, as in `the console`; nil for the receiver.
  let name: String?

  var isReceiver: Bool { name == nil }

  /// Creates the description of a feature's serial port.
  /// - Parameters:
  ///   - path: The configured path of the port.
  ///   - role: The first word of the codes of this port's problems, as `console` in `console-absent`.
  ///   - name: The name of the feature in messages, as in `the console`.
  package init(path: String, role: String, name: String, location: ConfigurationLocation) {
    (self.path, self.role, self.name, self.location, faults) = (path, role, name, location, .feature)
  }

  init(receiver path: String, location: ConfigurationLocation) {
    (self.path, role, name, self.location, faults) = (path, nil, nil, location, .receiver)
  }

  package func finding(_ fault: Fault, _ values: [String: String] = [:], repairs: [Repair] = []) -> Finding {
    let own = ["path": path, "role": role ?? "", "title": Finding.title(name)]
    return Finding(fault, at: location, own.merging(values) { $1 }, repairs: repairs)
  }
}

extension Finding {
  /// Returns the beginning of a message about a feature, as in `the console: `; an empty text if `name` is nil.
  static func title(_ name: String?) -> String { name.map { "\($0): " } ?? "" }
}

extension Subject {
  /// Returns an error if a feature uses the serial port of the receiver, perhaps under another name of the device.
  /// - Parameter owner: The name of the feature in the remedy, as in `the console`.
  package func receiverConflict(_ port: CheckedPort, owner: String, on machine: Machine) -> [Finding] {
    guard case .uart(let path, _) = receiver, machine.device(path) == machine.device(port.path) else { return [] }
    return [port.finding(.portOfReceiver, ["other": "\(receiverLocation)", "owner": owner])]
  }

  /// Returns the problems of a feature's serial port on this machine: a missing device, other programs that use the
  /// port, and missing permissions.
  package func portFindings(_ port: CheckedPort, on machine: Machine) -> [Finding] {
    guard let file = machine.files[port.path] else { return [port.finding(port.faults.absent)] }
    guard file.kind == .device else { return [port.finding(port.faults.unsuitable)] }
    return usageFindings(port, file, machine.ports[port.path] ?? Machine.SerialPort(), on: machine)
  }

  /// Returns the problems of an existing serial port: other programs that use the port, and missing permissions.
  func usageFindings(
    _ port: CheckedPort, _ file: DeviceFile, _ state: Machine.SerialPort, on machine: Machine
  ) -> [Finding] {
    var found: [Finding] = []
    func add(_ fault: Fault, _ values: [String: String] = [:], repairs: [Repair] = []) {
      let own = ["device": file.path, "name": file.name]
      found.append(port.finding(fault, own.merging(values) { $1 }, repairs: repairs))
    }
    if state.isConsole { add(port.faults.kernel, repairs: [.removeConsole(port: file.name)]) }
    if let login = state.login {
      let name = state.loginPort ?? file.name
      let unit = Repair.mask(unit: "serial-getty@\(name).service")
      add(port.faults.login, ["login": login, "name": name], repairs: [unit])
    }
    if let bluetooth = state.bluetooth {
      add(port.faults.bluetooth, ["bluetooth": bluetooth], repairs: [.withoutBluetooth])
    }
    found += [
      deniedFinding(port, file, "tty", on: machine), machine.sandboxFinding(file, port.name, at: port.location),
    ].compactMap(\.self)
    // The program at the other end of a pseudo-terminal also keeps the terminal end open. Such a program causes no
    // conflict.
    guard port.isReceiver || !file.isPseudoTerminal else { return found }
    for holder in state.holders {
      let fault =
        switch holder.name {
        case "onefixd": port.faults.held
        case "gpsd" where port.isReceiver: Fault.receiverBusyWithGPSD
        default: port.faults.busy
        }
      add(fault, ["holder": "\(holder)"])
    }
    return found
  }

  func deniedFinding(
    _ port: CheckedPort, _ file: DeviceFile, _ subsystem: String, on machine: Machine
  ) -> Finding? {
    guard !file.isOpen(to: machine.user, in: machine.accounts) else { return nil }
    return port.finding(
      port.faults.denied,
      [
        "user": machine.user.name, "node": file.node,
        "remedy": machine.ownershipRemedy(of: file, subsystem: subsystem),
      ], repairs: machine.ownershipRepairs(of: file, subsystem: subsystem))
  }
}

extension Machine {
  /// Returns the path of a device without symbolic links; the same path if the device does not exist.
  package func device(_ path: String) -> String { files[path]?.path ?? path }
}
