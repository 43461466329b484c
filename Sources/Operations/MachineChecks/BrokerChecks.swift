import Configuration

extension Subject {
  /// What is to be said of the files that brokers need.
  func brokerFindings(on machine: Machine) -> [Finding] {
    brokers.flatMap { broker in
      broker.files.compactMap { key, path in
        fileFinding(path, at: broker.place(of: key), on: machine)
          ?? (["password_file", "key"].contains(key)
            ? secretFinding(path, at: broker.place(of: key), on: machine) : nil)
      }
    }
  }

  private func fileFinding(_ path: String, at place: Place, on machine: Machine) -> Finding? {
    guard let file = machine.files[path] else {
      return Finding(
        .mqttFile, .error, at: place, "the broker: there is no \(path)",
        remedy: "is its folder open to user \(machine.user.name)?")
    }
    guard file.isReadable(by: machine.user, in: machine.accounts) else {
      return Finding(
        .mqttFile, .error, at: place, "the broker: user \(machine.user.name) may not read \(path)",
        remedy: "give it to a group of that user: chgrp \(machine.accounts.groupName(machine.user.gid)), chmod 640")
    }
    return nil
  }

  /// Who has it can take the gateway's place at the broker.
  private func secretFinding(_ path: String, at place: Place, on machine: Machine) -> Finding? {
    guard let file = machine.files[path], file.mode & 0o007 != 0 else { return nil }
    return Finding(
      .mqttSecretOpen, .warning, at: place, "the broker: everybody on this machine may use the secret in \(path)",
      remedy: "chmod o= \(path); if others may have read it, make a new one")
  }
}
