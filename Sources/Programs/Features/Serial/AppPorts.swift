import LineProtocol
import OperatingSystem
import Ports
import Serving

extension SerialFeature: CheckedFeature {
  var objects: [MachineObject] { ports.map { .port($0.port) } }
  var closingFaults: Set<Fault> { PortFaults.feature.closing }
  var isCheckedWithSimulatedBoard: Bool { true }

  /// Returns the problems of the serial ports of apps. A port that the console uses, too, is reported by the console
  /// instead.
  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    ports.indices.flatMap { index in
      let settings = ports[index]
      let port = CheckedPort(
        path: settings.port, role: "serial", name: "app \(settings.app)", location: settings.portLocation)
      let other = ports[..<index].first { machine.device($0.port) == machine.device(port.path) }
      let conflict = other.map { other in
        port.finding(.portTaken, ["other": "app \(other.app) (\(other.portLocation))", "owner": "each app"])
      }
      return subject.receiverConflict(port, owner: "the app", on: machine)
        + [conflict].compactMap(\.self) + subject.portFindings(port, on: machine)
        + [eachPressFinding(settings, subject)].compactMap(\.self)
    }
  }
}

extension SerialFeature {
  private func eachPressFinding(_ settings: AppPort, _ subject: Subject) -> Finding? {
    guard settings.pressFormat != nil else { return nil }
    return subject.eachPressFinding(
      to: "the serial port \(settings.port)", of: settings.app.name, at: settings.portLocation)
  }
}

extension SerialLinePort: LinePort {}

extension SerialFeature: Feature {
  /// The count of file descriptors, four for each port: the port, two for the event loop's channel, and for a short
  /// time the lock file.
  var openFiles: Int { ports.count * 4 }

  func running(in daemon: DaemonContext) -> RunningFeature? {
    let open = ports.filter { !daemon.isClosed($0.portLocation) }
    return RunningFeature(
      ports: open.filter { $0.pressFormat == nil }.map { settings in
        PortServer(path: settings.port, app: settings.app, group: daemon.group, logger: daemon.logger(.server)) {
          try SerialLinePort(path: settings.port, speed: settings.baud, isModem: settings.isModem)
        }
      },
      services: open.compactMap { settings in
        settings.pressFormat.map { format in
          let form = format.form(of: settings.port, for: settings.app)
          let target = PortTarget(path: settings.port, speed: settings.baud)
          return daemon.running(
            EachPressOutput(form, of: settings.app, over: .serial, to: target, logger: daemon.logger(.output)))
        }
      })
  }
}
