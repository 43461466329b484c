package import Configuration

/// A port of the receiver or of a feature.
package struct CheckedPort {
  /// The codes of the findings about a port, which differ by the role of the port.
  package struct Codes: Sendable {
    let absent, unsuitable, kernel, login, bluetooth, denied, busy, held: FindingCode

    static let receiver = Codes(
      absent: .receiverAbsent, unsuitable: .receiverUnsuitable, kernel: .uartConsole, login: .uartLogin,
      bluetooth: .uartBluetooth, denied: .receiverDenied, busy: .receiverBusy, held: .receiverHeld)

    /// The codes of the errors that let other users use an open port.
    package var closing: Set<FindingCode> { [kernel, login, unsuitable] }
  }

  package let path: String
  /// The part of the gateway that uses the port, as in `the console`; nil for the receiver.
  let name: String?
  let location: ConfigurationLocation
  let codes: Codes

  var isReceiver: Bool { name == nil }

  /// - Parameter name: the part of the gateway that uses the port, as in `the console`.
  package init(path: String, name: String, location: ConfigurationLocation, codes: Codes) {
    (self.path, self.name, self.location, self.codes) = (path, name, location, codes)
  }

  /// Creates the port of the receiver.
  init(receiver path: String, location: ConfigurationLocation) {
    (self.path, name, self.location, codes) = (path, nil, location, .receiver)
  }

  package func finding(
    _ code: FindingCode, _ message: String, severity: Finding.Severity = .error, remedy: String?, repairs: [Repair] = []
  ) -> Finding {
    Finding(
      code, severity, at: location, (name.map { "\($0): " } ?? "") + message, remedy: remedy, repairs: repairs)
  }
}

extension CheckedPort.Codes {
  /// Creates the codes of the port of a feature.
  /// - Parameter role: the first word of the codes, as in `console`.
  package init(role: String) {
    self.init(
      absent: FindingCode("\(role)-absent"), unsuitable: FindingCode("\(role)-unsuitable"),
      kernel: FindingCode("\(role)-kernel"), login: FindingCode("\(role)-login"),
      bluetooth: FindingCode("\(role)-bluetooth", isLogged: true), denied: FindingCode("\(role)-denied"),
      busy: FindingCode("\(role)-busy"), held: FindingCode("\(role)-held"))
  }
}

extension Subject {
  /// Returns a finding if the receiver uses the port of a feature, also under another name.
  /// - Parameter owner: the owner of the port in the remedy, as in `the console`.
  package func receiverConflict(
    _ code: FindingCode, _ port: CheckedPort, owner: String, on machine: Machine
  ) -> [Finding] {
    guard case .uart(let path, _) = receiver, machine.device(path) == machine.device(port.path) else { return [] }
    let message = "\(port.path) is the receiver's port (\(receiverLocation))"
    return [port.finding(code, message, remedy: "give \(owner) a port of its own")]
  }

  /// Returns the findings about a port, without conflicts with other parts of the configuration.
  package func portFindings(_ port: CheckedPort, on machine: Machine) -> [Finding] {
    guard let file = machine.files[port.path] else {
      return [
        port.finding(
          port.codes.absent, "\(port.path) does not exist yet; the daemon opens it when it appears", severity: .warning,
          remedy: "is the port enabled (the board's README), and the adapter plugged in? see ls /dev/tty* /dev/serial*")
      ]
    }
    guard file.kind == .device else {
      return [
        port.finding(
          port.codes.unsuitable, "\(port.path) is not a serial port", remedy: "use a tty, for example /dev/ttyS0")
      ]
    }
    return usageFindings(port, file, machine.ports[port.path] ?? Machine.SerialPort(), on: machine)
  }

  /// Returns the findings about other uses of an existing port, and about the permission to open it.
  func usageFindings(
    _ port: CheckedPort, _ file: DeviceFile, _ state: Machine.SerialPort, on machine: Machine
  ) -> [Finding] {
    var found: [Finding] = []
    if state.isConsole {
      found.append(
        port.finding(
          port.codes.kernel, "the kernel writes its messages to \(file.path)",
          remedy: "remove console=\(file.name) (or console=serial0) from the kernel's command line, and restart",
          repairs: [.removeConsole(port: file.name)]))
    }
    if let login = state.login {
      found.append(
        port.finding(
          port.codes.login,
          "\(login) offers a login on \(file.path)" + (port.isReceiver ? ", which consumes the receiver's data" : ""),
          remedy: "sudo systemctl mask --now serial-getty@\(file.name).service",
          repairs: [.mask(unit: "serial-getty@\(file.name).service")]))
    }
    if let bluetooth = state.bluetooth {
      found.append(
        port.finding(
          port.codes.bluetooth, "\(bluetooth) uses a Bluetooth chip on \(file.path)",
          remedy: "use another port, or switch Bluetooth off: dtoverlay=disable-bt on a Raspberry Pi",
          repairs: [.withoutBluetooth]))
    }
    found += [
      deniedFinding(port, file, "tty", on: machine), machine.sandboxFinding(file, port.name, at: port.location),
    ].compactMap(\.self)
    return found + holderFindings(port, state.holders, file)
  }

  /// Returns a finding if the daemon's user has no permission to open a port.
  func deniedFinding(
    _ port: CheckedPort, _ file: DeviceFile, _ subsystem: String, on machine: Machine
  ) -> Finding? {
    guard !file.isOpen(to: machine.user, in: machine.accounts) else { return nil }
    return port.finding(
      port.codes.denied, "user \(machine.user.name) has no permission to open \(file.node)",
      remedy: machine.ownershipRemedy(of: file, subsystem: subsystem),
      repairs: machine.ownershipRepairs(of: file, subsystem: subsystem))
  }

  private func holderFindings(
    _ port: CheckedPort, _ holders: [Machine.Process], _ file: DeviceFile
  ) -> [Finding] {
    // The program at the other end of a pseudo-terminal also keeps the terminal end open. This is not a conflict.
    guard port.isReceiver || !file.isPseudoTerminal else { return [] }
    return holders.map { holder in
      if holder.name == "onefixd" {
        return port.finding(
          port.codes.held, "\(file.path) is in use by the running daemon (\(holder))", severity: .note, remedy: nil)
      }
      return port.finding(
        port.codes.busy, "\(file.path) is open in another program: \(holder)",
        remedy: port.isReceiver && holder.name == "gpsd"
          ? "sudo systemctl disable --now gpsd.socket gpsd.service, or use it as the receiver: gpsd"
          : "stop it: two programs that read one port lose data")
    }
  }
}

extension Machine {
  /// Returns the path of a device after all symbolic links are resolved.
  package func device(_ path: String) -> String { files[path]?.path ?? path }
}
