package import Configuration

/// A serial port of the receiver or of a feature.
package struct CheckedPort {
  package let path: String
  let location: ConfigurationLocation
  let faults: PortFaults
  /// The first word of the codes, as in `console`; nil for the receiver.
  private let role: String?
  /// The user of the port in messages, as in `the console`; nil for the receiver.
  let name: String?

  var isReceiver: Bool { name == nil }

  /// Creates the port of a feature.
  /// - Parameters:
  ///   - role: The first word of the codes, as in `console`.
  ///   - name: The user of the port in messages, as in `the console`.
  package init(path: String, role: String, name: String, location: ConfigurationLocation) {
    (self.path, self.role, self.name, self.location, faults) = (path, role, name, location, .feature)
  }

  /// Creates the port of the receiver.
  init(receiver path: String, location: ConfigurationLocation) {
    (self.path, role, name, self.location, faults) = (path, nil, nil, location, .receiver)
  }

  package func finding(_ fault: Fault, _ values: [String: String] = [:], repairs: [Repair] = []) -> Finding {
    let own = ["path": path, "role": role ?? "", "title": Finding.title(name)]
    return Finding(fault, at: location, own.merging(values) { $1 }, repairs: repairs)
  }
}

extension Finding {
  /// Returns the beginning of a message about a feature, as in `the console: `; empty for the receiver.
  static func title(_ name: String?) -> String { name.map { "\($0): " } ?? "" }
}

extension Subject {
  /// Returns a finding if the receiver uses the port of a feature, also under another name.
  /// - Parameter owner: The owner of the port in the remedy, as in `the console`.
  package func receiverConflict(_ port: CheckedPort, owner: String, on machine: Machine) -> [Finding] {
    guard case .uart(let path, _) = receiver, machine.device(path) == machine.device(port.path) else { return [] }
    return [port.finding(.portOfReceiver, ["other": "\(receiverLocation)", "owner": owner])]
  }

  /// Returns the findings about a port of a feature, without conflicts with other settings of the configuration.
  package func portFindings(_ port: CheckedPort, on machine: Machine) -> [Finding] {
    guard let file = machine.files[port.path] else { return [port.finding(port.faults.absent)] }
    guard file.kind == .device else { return [port.finding(port.faults.unsuitable)] }
    return usageFindings(port, file, machine.ports[port.path] ?? Machine.SerialPort(), on: machine)
  }

  /// Returns the findings about other uses of an existing port, and about the permission to open it.
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
      add(port.faults.login, ["login": login], repairs: [.mask(unit: "serial-getty@\(file.name).service")])
    }
    if let bluetooth = state.bluetooth {
      add(port.faults.bluetooth, ["bluetooth": bluetooth], repairs: [.withoutBluetooth])
    }
    found += [
      deniedFinding(port, file, "tty", on: machine), machine.sandboxFinding(file, port.name, at: port.location),
    ].compactMap(\.self)
    // The program at the other end of a pseudo-terminal also keeps the terminal end open. This is not a conflict.
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

  /// Returns a finding if the daemon's user has no permission to open a port.
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
  /// Returns the path of a device after all symbolic links are resolved.
  package func device(_ path: String) -> String { files[path]?.path ?? path }
}
