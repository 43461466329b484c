import Configuration
import MachineChecks

extension FindingCode {
  /// A gpsd on this machine sends positions to its clients even if the user does not press the button.
  static let gpsdBeside = Self("gpsd-beside", isLogged: true)
}

extension GPSDFeature: CheckedFeature {
  var objects: [MachineObject] { endpoints.map { .endpoint($0) } + [.program("gpsd")] }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    var found = endpoints.flatMap { endpoint in
      machine.listenFindings(
        endpoint, role: "gpsd", at: location, remedy: Self.remedy + "; or choose another 'port'")
    }
    let holders = endpoints.flatMap { machine.listeningAddresses["\($0)"]?.holders ?? [] }
    let others = (machine.programs["gpsd"] ?? []).filter { !holders.contains($0) }
    // If the gateway's receiver is a gpsd, the receiver check already reports this gpsd.
    let isReceiver = if case .gpsd = subject.receiver { true } else { false }
    if !subject.board.isSimulated, !others.isEmpty, !isReceiver {
      found.append(
        Finding(
          .gpsdBeside, .warning, at: location,
          "a gpsd runs (\(others.map(\.description).joined(separator: "; "))): its clients receive positions "
            + "without a press", remedy: Self.remedy))
    }
    return found
  }

  private static let remedy = "sudo systemctl disable --now gpsd.socket gpsd.service"
}
