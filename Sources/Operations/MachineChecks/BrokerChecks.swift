import Configuration

extension Subject {
  func brokerFindings(on machine: Machine) -> [Finding] {
    brokers.flatMap { broker in
      broker.files.compactMap { key, path in
        fileFinding(path, at: broker.location(of: key), on: machine)
          ?? (["password_file", "key"].contains(key)
            ? secretFinding(path, at: broker.location(of: key), on: machine) : nil)
      }
    }
  }

  private func fileFinding(_ path: String, at location: ConfigurationLocation, on machine: Machine) -> Finding? {
    guard let file = machine.files[path] else {
      return Finding(
        .mqttFile, .error, at: location, "the broker: \(path) does not exist",
        remedy: "check the path, and whether user \(machine.user.name) can read its folder")
    }
    guard file.isReadable(by: machine.user, in: machine.accounts) else {
      return Finding(
        .mqttFile, .error, at: location, "the broker: user \(machine.user.name) has no permission to read \(path)",
        // A group of the user is no remedy, because the apps can be its members.
        remedy: "give the file to that user alone: chown \(machine.user.name), chmod 600")
    }
    return nil
  }

  /// Returns a finding if all users of this machine can read a secret. With the secret, a program could impersonate the
  /// gateway.
  private func secretFinding(_ path: String, at location: ConfigurationLocation, on machine: Machine) -> Finding? {
    guard let file = machine.files[path], file.mode & 0o007 != 0 else { return nil }
    return Finding(
      .mqttSecretOpen, .warning, at: location, "the broker: everyone on this machine can read the secret in \(path)",
      remedy: "chmod o= \(path); if others can have read it, create a new one")
  }
}
