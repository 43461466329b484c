import Configuration

extension Subject {
  func listenFindings(on machine: Machine) -> [Finding] {
    listeners.compactMap(\.tls).flatMap { tls in
      let files = [tls.certificate, tls.privateKey, tls.clientCA].compactMap(\.self)
      return files.compactMap { fileFinding($0, tls, on: machine) } + keyFindings(tls, on: machine)
    }
  }

  private func fileFinding(_ path: String, _ tls: ListenSettings.TLS, on machine: Machine) -> Finding? {
    guard let file = machine.files[path] else {
      return Finding(
        .listenFile, .error, at: tls.location(of: path), "the listener: \(path) does not exist",
        remedy: "add the file in PEM form, and check whether user \(machine.user.name) can read its folder")
    }
    guard file.isReadable(by: machine.user, in: machine.accounts) else {
      return Finding(
        .listenFile, .error, at: tls.location(of: path),
        "the listener: user \(machine.user.name) has no permission to read \(path)",
        // A group of the user is no remedy, because the apps can be its members.
        remedy: "give the file to that user alone: chown \(machine.user.name), chmod 600")
    }
    return nil
  }

  /// Returns a finding if all users of this machine can read the private key. With the key, a program could impersonate
  /// the gateway.
  private func keyFindings(_ tls: ListenSettings.TLS, on machine: Machine) -> [Finding] {
    guard let file = machine.files[tls.privateKey], file.mode & 0o007 != 0 else { return [] }
    return [
      Finding(
        .listenKeyOpen, .warning, at: tls.location(of: tls.privateKey),
        "the listener: everyone on this machine can read the private key \(tls.privateKey)",
        remedy: "chmod o= \(tls.privateKey); if others can have read it, create a new one")
    ]
  }
}
