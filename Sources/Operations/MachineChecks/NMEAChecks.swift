import Configuration

extension Subject {
  /// Returns the findings about the addresses for readers of NMEA sentences.
  func nmeaFindings(on machine: Machine) -> [Finding] {
    nmea.compactMap { settings in
      guard let address = machine.nmeaAddresses["\(settings.endpoint)"], address.isInUse else { return nil }
      if let daemon = address.holders.first(where: { $0.name == "onefixd" }) {
        return Finding(
          .nmeaHeld, .note, at: settings.location, "\(settings.endpoint) is in use by the running daemon (\(daemon))")
      }
      let holders = address.holders.isEmpty ? "" : ": " + address.holders.map(\.description).joined(separator: "; ")
      return Finding(
        .nmeaTaken, .error, at: settings.location, "another program listens on \(settings.endpoint)\(holders)",
        remedy: "stop it, or choose another 'address' in [[nmea]]")
    }
  }
}
