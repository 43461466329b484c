import Configuration
import OperatingSystem

extension Subject {
  func gpsdServerFindings(on machine: Machine) -> [Finding] {
    guard let settings = configuration.gpsdServer else { return [] }
    let addresses = settings.hosts.map { hostAndPort($0, settings.port) }
    var found = addresses.flatMap { address in
      machine.listenFindings(
        address, held: .gpsdHeld, taken: .gpsdTaken, at: settings.location,
        remedy: Self.remedy + "; or choose another 'port'")
    }
    let holders = addresses.flatMap { machine.listeningAddresses[$0]?.holders ?? [] }
    let others = (machine.programs["gpsd"] ?? []).filter { !holders.contains($0) }
    // If the gateway's receiver is a gpsd, the receiver check already reports this gpsd.
    if !board.isSimulated, !others.isEmpty, !usesGPSD {
      found.append(
        Finding(
          .gpsdBeside, .warning, at: settings.location,
          "a gpsd runs (\(others.map(\.description).joined(separator: "; "))): its clients receive positions "
            + "without a press", remedy: Self.remedy))
    }
    return found
  }

  private var usesGPSD: Bool { if case .gpsd = receiver { true } else { false } }

  private static let remedy = "sudo systemctl disable --now gpsd.socket gpsd.service"
}
