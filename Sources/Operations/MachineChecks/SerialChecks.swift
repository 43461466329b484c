import Configuration

extension Subject {
  /// Returns the findings about the apps' serial ports. The console check reports conflicts with the console's port.
  func serialFindings(on machine: Machine) -> [Finding] {
    configuration.serialPorts.indices.flatMap { index in
      let settings = configuration.serialPorts[index]
      let port = CheckedPort(
        path: settings.port, name: "app \(settings.app)", location: settings.portLocation, codes: .serial)
      return conflictFindings(port, after: configuration.serialPorts[..<index], on: machine)
        + portFindings(port, machine.ports[settings.port] ?? .init(), on: machine)
    }
  }

  /// Returns a finding if the receiver or a second app uses the app's port.
  private func conflictFindings(
    _ port: CheckedPort, after others: ArraySlice<SerialSettings>, on machine: Machine
  ) -> [Finding] {
    let device = machine.device(port.path)
    var found: [Finding] = []
    if case .uart(let path, _) = receiver, machine.device(path) == device {
      found.append(
        port.finding(
          .serialTaken, "\(port.path) is the receiver's port (\(receiverLocation))",
          remedy: "give the app a port of its own"
        ))
    }
    if let other = others.first(where: { machine.device($0.port) == device }) {
      found.append(
        port.finding(
          .serialTaken, "\(port.path) is the port of app \(other.app) (\(other.portLocation))",
          remedy: "give each app a port of its own"))
    }
    return found
  }
}
