import Authorization
import Configuration
import Hardware
import OperatingSystem

extension Fault {
  /// An output gets a fix at each press of the button. The owner must know that a press sends the location even if no
  /// app waits.
  static let eachPress = Fault(
    "each-press", .note,
    "each press of {buttons} sends the location to {output} for the app {app}, unless another app waits")
}

extension Subject {
  /// Returns the note that an output gets a fix at each press of the button.
  func eachPressFinding(to output: String, of app: String, at location: ConfigurationLocation) -> Finding {
    let buttons = board.buttons.filter { $0.apps?.contains(app) ?? true }.map { "button \($0.name)" }
    return Finding(
      .eachPress, at: location,
      ["buttons": buttons.isEmpty ? "no button" : buttons.joined(separator: " or "), "output": output, "app": app])
  }
}

extension MQTTFeature: CheckedFeature {
  private static let faults = FileFaults("mqtt-file", open: "mqtt-secret-open")

  var objects: [MachineObject] { brokers.flatMap(\.files).map { .file($0.path) } }
  var isCheckedWithSimulatedBoard: Bool { !objects.isEmpty }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    brokers.flatMap { broker in
      let note =
        broker.isForEachPress
        ? subject.eachPressFinding(
          to: "the broker \(hostAndPort(broker.host, broker.port))", of: broker.app.name,
          at: broker.location(of: "on_press")) : nil
      return broker.files.compactMap { key, path in
        let location = broker.location(of: key)
        return machine.fileFinding(
          path, of: "the broker", Self.faults, at: location, remedy: "check the path, and")
          ?? (["password_file", "key"].contains(key)
            ? machine.secretFinding(path, of: "the broker", "the secret in", Self.faults, at: location) : nil)
      } + [note].compactMap(\.self)
    }
  }
}
