import Configuration

private let stopRemedy = "sudo systemctl disable --now gpsd.socket gpsd.service"

extension Fault {
  /// The problem that the program gpsd runs on this machine, and gives its clients positions without a press of the
  /// button.
  static let gpsdBeside = Fault(
    "gpsd-beside", .warning, "a gpsd runs ({processes}): its clients receive positions without a press",
    remedy: stopRemedy, isLogged: true)
}

extension GPSDFeature: CheckedFeature {
  var objects: [MachineObject] { endpoints.map { .endpoint($0) } + [.program("gpsd")] }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    let isReceiver = if case .gpsd(let host, _) = subject.receiver { Self.isOfMachine(host) } else { false }
    let choice = "choose another 'port' or 'address' in [gpsd_server]"
    var found = endpoints.flatMap { endpoint in
      machine.listenFindings(
        endpoint, role: "gpsd", at: location, remedy: isReceiver ? choice : "\(stopRemedy); or \(choice)")
    }
    let holders = endpoints.flatMap { machine.listeningAddresses["\($0)"]?.holders ?? [] }
    let others = (machine.programs["gpsd"] ?? []).filter { !holders.contains($0) }
    // If the gateway's receiver is the gpsd of this machine, the receiver check already reports this gpsd.
    if !subject.board.isSimulated, !others.isEmpty, !isReceiver {
      let processes = others.map(\.description).joined(separator: "; ")
      found.append(Finding(.gpsdBeside, at: location, ["processes": processes]))
    }
    return found
  }

  private static func isOfMachine(_ host: String) -> Bool { host == "localhost" || ListenEndpoint.isLoopback(host) }
}
