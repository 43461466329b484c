import Configuration
import MachineChecks

extension FindingCode {
  /// Another program listens on the address.
  static let pageTaken = Self("page-taken")
  /// The running daemon listens on the address.
  static let pageHeld = Self("page-held")
}

extension PageFeature: CheckedFeature {
  var objects: [MachineObject] { endpoints.map { .endpoint($0) } }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    endpoints.flatMap { endpoint in
      machine.listenFindings(
        "\(endpoint)", title: "the page's address ", held: .pageHeld, taken: .pageTaken, at: location,
        remedy: "stop it, or choose another 'port' in [page]")
    }
  }
}
