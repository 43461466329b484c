import Base
import Configuration
import Serving

extension ListenFeature: CheckedFeature {
  private static let faults = FileFaults("listen-file", open: "listen-key-open")

  var objects: [MachineObject] {
    listeners.compactMap(\.tls).flatMap(\.files).map { .file($0) } + listeners.map { .endpoint($0.endpoint) }
      + sockets.map { .endpoint(.socket($0.path)) }
  }
  var isCheckedWithSimulatedBoard: Bool { listeners.contains { $0.tls != nil } }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    tlsFindings(on: machine)
      + listeners.flatMap { listener in
        machine.listenFindings(
          listener.endpoint, role: "listen", at: listener.location,
          remedy: "stop it, or choose another 'address' in [[listen]]")
      }
      + sockets.flatMap { socket in
        machine.listenFindings(
          .socket(socket.path), role: "listen", at: socket.location,
          remedy: "stop it, or choose another 'socket' in [[listen]]")
      }
  }

  private func tlsFindings(on machine: Machine) -> [Finding] {
    listeners.compactMap(\.tls).flatMap { tls -> [Finding] in
      let unreadable = tls.files.map { path in
        machine.fileFinding(
          path, of: "the listener", Self.faults, at: tls.location(of: path),
          remedy: "add the file in PEM form, and check")
      }
      let secret = machine.secretFinding(
        tls.privateKey, of: "the listener", "the private key", Self.faults, at: tls.location(of: tls.privateKey))
      return (unreadable + [secret]).compactMap(\.self)
    }
  }

  func contentFindings(at now: UTCTime) -> [Finding] {
    listeners.compactMap(\.tls).compactMap { tls in
      do throws(TLSFault) {
        _ = try TLSIdentity(TLSFiles(tls))
        return Self.faults.expiryFinding(
          tls.certificate, of: "the listener", at: tls.location(of: tls.certificate), now: now)
      } catch {
        return Self.faults.contentFinding(
          error.file, key: [tls.certificate, tls.clientCA].contains(error.file) ? "certificate" : "private_key",
          cause: error.cause, of: "the listener", at: tls.location(of: error.file))
      }
    }
  }
}
