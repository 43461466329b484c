import Configuration

extension Subject {
  /// What is to be said of the port of the owners' page.
  func pageFindings(on machine: Machine) -> [Finding] {
    guard let page, machine.pageAddress.isTaken else { return [] }
    let holders = machine.pageAddress.holders
    let place = "127.0.0.1:\(page.port)"
    if let daemon = holders.first(where: { $0.name == "onefixd" }) {
      return [Finding(.pageHeld, .note, at: page.place, "\(place) is held by the daemon that runs (\(daemon))")]
    }
    let named = holders.isEmpty ? "" : ": " + holders.map(\.description).joined(separator: "; ")
    return [
      Finding(
        .pageTaken, .error, at: page.place, "another program listens on \(place), where the page is to be\(named)",
        remedy: "stop it, or choose another 'port' in [page]")
    ]
  }
}
