import Configuration
import OperatingSystem

extension Subject {
  func listenFindings(on machine: Machine) -> [Finding] {
    tlsFindings(on: machine)
      + configuration.listeners.flatMap { settings in
        machine.listenFindings(
          hostAndPort(settings.host, settings.port), held: .listenHeld, taken: .listenTaken, at: settings.location,
          remedy: "stop it, or choose another 'address' in [[listen]]")
      }
      + configuration.sockets.flatMap { settings in
        machine.listenFindings(
          settings.path, held: .listenHeld, taken: .listenTaken, at: settings.location,
          remedy: "stop it, or choose another 'socket' in [[listen]]")
      }
  }

  private func tlsFindings(on machine: Machine) -> [Finding] {
    configuration.listeners.compactMap(\.tls).flatMap { tls -> [Finding] in
      let unreadable = [tls.certificate, tls.privateKey, tls.clientCA].compactMap(\.self).map { path in
        machine.fileFinding(
          path, of: "the listener", .listenFile, at: tls.location(of: path),
          remedy: "add the file in PEM form, and check")
      }
      let secret = machine.secretFinding(
        tls.privateKey, of: "the listener", "the private key", .listenKeyOpen, at: tls.location(of: tls.privateKey))
      return (unreadable + [secret]).compactMap(\.self)
    }
  }
}
