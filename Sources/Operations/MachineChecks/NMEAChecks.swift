import Configuration

extension Subject {
  /// Returns the findings about the addresses for readers of NMEA sentences.
  func nmeaFindings(on machine: Machine) -> [Finding] {
    nmea.flatMap { settings in
      machine.nmeaAddresses["\(settings.endpoint)", default: Machine.ListeningAddress()].findings(
        "\(settings.endpoint)", held: .nmeaHeld, taken: .nmeaTaken, at: settings.location,
        remedy: "stop it, or choose another 'address' in [[nmea]]")
    }
  }
}
