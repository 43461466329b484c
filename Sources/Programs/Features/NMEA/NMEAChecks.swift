import Configuration
import MachineChecks

extension FindingCode {
  /// Another program listens on an address or a socket for readers of NMEA sentences.
  static let nmeaTaken = Self("nmea-taken")
  /// The running daemon listens on an address or a socket for readers of NMEA sentences.
  static let nmeaHeld = Self("nmea-held")
}

extension NMEAFeature: CheckedFeature {
  var objects: [MachineObject] { readers.map { .endpoint($0.endpoint) } }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    readers.flatMap { reader in
      machine.listenFindings(
        "\(reader.endpoint)", held: .nmeaHeld, taken: .nmeaTaken, at: reader.location,
        remedy: "stop it, or choose another 'address' or 'socket' in [[nmea]]")
    }
  }
}
