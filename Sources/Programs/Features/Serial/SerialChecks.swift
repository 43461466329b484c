import Configuration
import MachineChecks

extension FindingCode {
  /// The app's port is also the port of the receiver or of a second app.
  static let serialTaken = Self("serial-taken", isConfiguration: true)
}

extension SerialFeature: CheckedFeature {
  private static let codes = CheckedPort.Codes(role: "serial")

  var objects: [MachineObject] { ports.map { .port($0.port) } }
  var closingCodes: Set<FindingCode> { Self.codes.closing.union([.serialTaken]) }
  var isCheckedWithSimulatedBoard: Bool { true }

  /// Returns the findings about the apps' serial ports. The console check reports conflicts with the console's port.
  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    ports.indices.flatMap { index in
      let settings = ports[index]
      let port = CheckedPort(
        path: settings.port, name: "app \(settings.app)", location: settings.portLocation, codes: Self.codes)
      return conflictFindings(port, after: ports[..<index], about: subject, on: machine)
        + subject.portFindings(port, on: machine)
    }
  }

  /// Returns a finding if the receiver or a second app uses the app's port.
  private func conflictFindings(
    _ port: CheckedPort, after others: ArraySlice<AppPort>, about subject: Subject, on machine: Machine
  ) -> [Finding] {
    let device = machine.device(port.path)
    var found: [Finding] = []
    if subject.isReceiver(port, on: machine) {
      found.append(
        port.finding(
          .serialTaken, "\(port.path) is the receiver's port (\(subject.receiverLocation))",
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
