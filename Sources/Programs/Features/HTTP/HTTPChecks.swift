import Base
import LineProtocol

extension HTTPFeature: CheckedFeature {
  private static let faults = FileFaults("http-file", open: "http-secret-open")

  var objects: [MachineObject] { outputs.flatMap(\.files).map { .file($0.path) } }
  var isCheckedWithSimulatedBoard: Bool { true }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    outputs.flatMap { output in
      let files = output.files.compactMap { key, path in
        let location = output.location(of: key)
        return machine.fileFinding(
          path, of: "the web server", Self.faults, at: location, remedy: "check the path, and")
          ?? (key == "ca"
            ? nil
            : machine.secretFinding(path, of: "the web server", "the secret in", Self.faults, at: location))
      }
      return files + [
        subject.eachPressFinding(to: output.address.origin, of: output.app.name, at: output.location)
      ]
    }
  }

  func contentFindings(at now: UTCTime) -> [Finding] {
    outputs.flatMap { output in
      let (files, name) = (output.files, "the web server")
      return [
        Self.faults.contentFinding(in: files, of: name, at: output.location) { () throws(OutputError) in
          _ = try output.credentials?.authorization()
        },
        Self.faults.contentFinding(in: files, of: name, at: output.location) { () throws(OutputError) in
          _ = try WebClient(server: output.address.server, ca: output.ca).context()
        },
      ].compactMap(\.self)
    }
  }
}
