import MachineChecks

extension FindingCode {
  /// A file from the settings of a broker does not exist or cannot be read.
  static let mqttFile = Self("mqtt-file")
  /// Other users can read or write a password or a private key.
  static let mqttSecretOpen = Self("mqtt-secret-open", isLogged: true)
}

extension MQTTFeature: CheckedFeature {
  var objects: [MachineObject] { brokers.flatMap(\.files).map { .file($0.path) } }
  var isCheckedWithSimulatedBoard: Bool { !objects.isEmpty }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    brokers.flatMap { broker in
      broker.files.compactMap { key, path in
        machine.fileFinding(
          path, of: "the broker", .mqttFile, at: broker.location(of: key), remedy: "check the path, and")
          ?? (["password_file", "key"].contains(key)
            ? machine.secretFinding(
              path, of: "the broker", "the secret in", .mqttSecretOpen, at: broker.location(of: key)) : nil)
      }
    }
  }
}
