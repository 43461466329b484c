import Configuration

extension Subject {
  /// What is to be said of the files that TLS needs.
  func listenFindings(on machine: Machine) -> [Finding] {
    listeners.compactMap(\.tls).flatMap { tls in
      let files = [tls.certificate, tls.privateKey, tls.clientCA].compactMap(\.self)
      return files.compactMap { fileFinding($0, tls, on: machine) } + keyFindings(tls, on: machine)
    }
  }

  private func fileFinding(_ path: String, _ tls: ListenSettings.TLS, on machine: Machine) -> Finding? {
    guard let file = machine.files[path] else {
      return Finding(
        .listenFile, .error, at: tls.place(of: path), "the listener: there is no \(path)",
        remedy: "it is a file in PEM form; is its folder open to user \(machine.user.name)?")
    }
    guard file.isReadable(by: machine.user, in: machine.accounts) else {
      return Finding(
        .listenFile, .error, at: tls.place(of: path), "the listener: user \(machine.user.name) may not read \(path)",
        remedy: "give it to a group of that user: chgrp \(machine.accounts.groupName(machine.user.gid)), chmod 640")
    }
    return nil
  }

  /// Who has it can pass for the gateway.
  private func keyFindings(_ tls: ListenSettings.TLS, on machine: Machine) -> [Finding] {
    guard let file = machine.files[tls.privateKey], file.mode & 0o007 != 0 else { return [] }
    return [
      Finding(
        .listenKeyOpen, .warning, at: tls.place(of: tls.privateKey),
        "the listener: everybody on this machine may use the private key \(tls.privateKey)",
        remedy: "chmod o= \(tls.privateKey); if others may have read it, make a new one")
    ]
  }
}
