package import Configuration

extension Machine {
  /// Returns a note if the running daemon listens at an endpoint, and an error if a different program listens there. The
  /// codes are `ROLE-held` and `ROLE-taken`.
  /// - Parameters:
  ///   - role: The first word of the codes, as in `gpsd`.
  ///   - title: The words before the address in the error, with a space at the end.
  package func listenFindings(
    _ endpoint: ListenEndpoint, role: String, title: String = "", at location: ConfigurationLocation, remedy: String
  ) -> [Finding] {
    guard let address = listeningAddresses["\(endpoint)"], address.isInUse else { return [] }
    let holders = address.holders
    if let daemon = holders.first(where: { $0.name == "onefixd" }) {
      let message = "\(endpoint) is in use by the running daemon (\(daemon))"
      return [Finding(FindingCode("\(role)-held"), .note, at: location, message)]
    }
    let named = holders.isEmpty ? "" : ": " + holders.map(\.description).joined(separator: "; ")
    return [
      Finding(
        FindingCode("\(role)-taken"), .error, at: location,
        "another program listens on \(title)\(endpoint)\(named)", remedy: remedy)
    ]
  }
}
