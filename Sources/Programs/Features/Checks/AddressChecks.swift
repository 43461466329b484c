package import Configuration

extension Machine {
  /// Returns a note if the running daemon already listens at an endpoint, and an error if another program does; empty
  /// if the endpoint is free.
  /// - Parameters:
  ///   - role: The first word of the codes `ROLE-held` (note) and `ROLE-taken` (error), as in `gpsd`.
  ///   - words: The words before the address in the error, with a space at the end.
  package func listenFindings(
    _ endpoint: ListenEndpoint, role: String, words: String = "", at location: ConfigurationLocation, remedy: String
  ) -> [Finding] {
    guard let address = listeningAddresses["\(endpoint)"], address.isInUse else { return [] }
    let daemon = address.holders.first { $0.name == "onefixd" }
    let holders = address.holders.map(\.description).joined(separator: "; ")
    let values = [
      "role": role, "address": "\(endpoint)", "holder": daemon?.description ?? "", "words": words,
      "holders": holders.isEmpty ? "" : ": \(holders)", "remedy": remedy,
    ]
    return [Finding(daemon == nil ? .addressTaken : .addressHeld, at: location, values)]
  }
}
