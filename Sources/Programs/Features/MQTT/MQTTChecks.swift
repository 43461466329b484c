import Base
import LineProtocol
import OperatingSystem

extension MQTTFeature: CheckedFeature {
  private static let faults = FileFaults("mqtt-file", open: "mqtt-secret-open")

  var objects: [MachineObject] { brokers.flatMap(\.files).map { .file($0.path) } }
  var isCheckedWithSimulatedBoard: Bool { !objects.isEmpty }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    brokers.flatMap { broker in
      let note =
        broker.isForEachPress
        ? subject.eachPressFinding(
          to: "the broker \(hostAndPort(broker.broker.host, broker.broker.port))", of: broker.app.name,
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

  func contentFindings(at now: UTCTime) -> [Finding] {
    brokers.flatMap { broker in
      var (login, encryption) = (broker.broker, broker.broker)
      login.tls = nil
      encryption.username = nil
      let unusable = [login, encryption].map { settings in
        Self.faults.contentFinding(in: broker.files, of: "the broker", at: broker.location) { () throws(OutputError) in
          _ = try MosquittoClient(settings, .five, will: Announcement("status", "offline"))
        }
      }
      let expired = broker.broker.tls?.certificate.flatMap {
        Self.faults.expiryFinding($0, of: "the broker", at: broker.location(of: "certificate"), now: now)
      }
      return (unusable + [expired]).compactMap(\.self)
    }
  }
}
