import Configuration

extension Subject {
  /// Returns the findings about the files of the brokers, for example password files and private keys.
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
        .mqttFile, .error, at: place, "the broker: \(path) does not exist",
        remedy: "check the path, and whether user \(machine.user.name) can read its folder")
    }
    guard file.isReadable(by: machine.user, in: machine.accounts) else {
      return Finding(
        .mqttFile, .error, at: place, "the broker: user \(machine.user.name) has no permission to read \(path)",
        remedy:
          "assign the file to a group of that user: chgrp \(machine.accounts.groupName(machine.user.gid)), chmod 640")
    }
    return nil
  }

  /// Returns a finding if everyone on this machine can read a secret. Anyone with the secret could impersonate the
  /// gateway at the broker.
  private func secretFinding(_ path: String, at place: Place, on machine: Machine) -> Finding? {
    guard let file = machine.files[path], file.mode & 0o007 != 0 else { return nil }
    return Finding(
      .mqttSecretOpen, .warning, at: place, "the broker: everyone on this machine can read the secret in \(path)",
      remedy: "chmod o= \(path); if others can have read it, create a new one")
  }
}
