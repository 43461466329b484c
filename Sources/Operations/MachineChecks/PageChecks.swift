import Configuration

extension Subject {
  func pageFindings(on machine: Machine) -> [Finding] {
    guard let page, machine.pageAddress.isInUse else { return [] }
    let holders = machine.pageAddress.holders
    let address = "127.0.0.1:\(page.port)"
    if let daemon = holders.first(where: { $0.name == "onefixd" }) {
      return [Finding(.pageHeld, .note, at: page.location, "\(address) is in use by the running daemon (\(daemon))")]
    }
    let named = holders.isEmpty ? "" : ": " + holders.map(\.description).joined(separator: "; ")
    return [
      Finding(
        .pageTaken, .error, at: page.location, "another program listens on the page's address \(address)\(named)",
        remedy: "stop it, or choose another 'port' in [page]")
    ]
  }
}
