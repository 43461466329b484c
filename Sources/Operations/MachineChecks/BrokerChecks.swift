import Configuration

extension Subject {
  func brokerFindings(on machine: Machine) -> [Finding] {
    configuration.brokers.flatMap { broker in
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
