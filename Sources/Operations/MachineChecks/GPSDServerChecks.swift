import Configuration

extension Subject {
  func gpsdServerFindings(on machine: Machine) -> [Finding] {
    guard let settings = gpsdServer else { return [] }
    let address = machine.gpsdAddress
    let endpoint =
      settings.host.contains(":") ? "[\(settings.host)]:\(settings.port)" : "\(settings.host):\(settings.port)"
    var found: [Finding] = []
    if let daemon = address.holders.first(where: { $0.name == "onefixd" }) {
      found.append(
        Finding(.gpsdHeld, .note, at: settings.location, "\(endpoint) is in use by the running daemon (\(daemon))"))
    } else if address.isInUse {
      let holders = address.holders.isEmpty ? "" : ": " + address.holders.map(\.description).joined(separator: "; ")
      found.append(
        Finding(
          .gpsdTaken, .error, at: settings.location,
          "another program listens on \(endpoint)\(holders)", remedy: Self.remedy + "; or choose another 'address'"))
    }
    let others = address.others.filter { !address.holders.contains($0) }
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
