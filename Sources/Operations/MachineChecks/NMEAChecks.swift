import Configuration

extension Subject {
  /// Returns the findings about the addresses and the sockets for readers of NMEA sentences.
  func nmeaFindings(on machine: Machine) -> [Finding] {
    configuration.nmea.flatMap { settings in
      machine.listenFindings(
        "\(settings.endpoint)", held: .nmeaHeld, taken: .nmeaTaken, at: settings.location,
        remedy: "stop it, or choose another 'address' or 'socket' in [[nmea]]")
    }
  }
}
