package import Configuration

extension Machine {
  /// Returns a note if the running daemon listens on the address, and an error if a different program listens on it.
  /// - Parameters:
  ///   - name: The address with its port, or the path of the socket.
  ///   - title: The words before the address in the error, with a space at the end.
  package func listenFindings(
    _ name: String, title: String = "", held: FindingCode, taken: FindingCode, at location: ConfigurationLocation,
    remedy: String
  ) -> [Finding] {
    guard let address = listeningAddresses[name], address.isInUse else { return [] }
    let holders = address.holders
    if let daemon = holders.first(where: { $0.name == "onefixd" }) {
      return [Finding(held, .note, at: location, "\(name) is in use by the running daemon (\(daemon))")]
    }
    let named = holders.isEmpty ? "" : ": " + holders.map(\.description).joined(separator: "; ")
    return [
      Finding(taken, .error, at: location, "another program listens on \(title)\(name)\(named)", remedy: remedy)
    ]
  }
}
