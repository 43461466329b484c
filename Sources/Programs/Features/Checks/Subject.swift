package import Configuration

/// The configuration that `onefixd check` examines: the board (buttons and LEDs), the receiver and the gateway's
/// settings.
package struct Subject: Sendable {
  package var board: Board
  package var configuration: GatewayConfiguration
  /// The configured features that `onefixd check` examines, in the order of its output.
  package var features: [any CheckedFeature] { configuration.features.compactMap { $0 as? any CheckedFeature } }
  package var receiver: ReceiverSpec
  /// The setting that names the receiver, for messages: a key in a configuration file, or the option `--receiver`.
  package var receiverLocation: ConfigurationLocation
  /// The paths of the files that must survive a restart; nil if the check does not examine these files.
  package var stateFiles: StateFiles?
  /// The configuration file of the service.
  package static let configurationFile = "/etc/onefix/onefix.toml"
  /// Whether the check examines the permissions of this file.
  package var checksConfigurationFile = false

  /// Creates the configuration to check.
  /// - Parameter receiver: The receiver from the option `--receiver`; nil for the receiver of the board.
  package init(
    board: Board, _ configuration: GatewayConfiguration = GatewayConfiguration(), receiver: ReceiverSpec? = nil
  ) {
    self.board = board
    self.configuration = configuration
    self.receiver = receiver ?? board.receiver
    receiverLocation = receiver == nil ? board.location(of: .receiver) : ConfigurationLocation(file: "--receiver")
  }

  package var configurationFindings: [Finding] {
    legibilityFindings + doubleLineFindings + reservedLineFindings
      + features.flatMap { $0.configurationFindings(about: self) } + sharedAppFindings + proofFindings
      + unknownUserFindings
  }

  package func findings(on machine: Machine) -> [Finding] {
    let parts: [[Finding]] = [
      lineFindings(on: machine), ledFindings(on: machine), receiverFindings(on: machine),
      features.flatMap { $0.findings(about: self, on: machine) }, deviceKeyFindings(on: machine),
      configurationFileFindings(on: machine), unitFindings(on: machine), storageFindings(on: machine),
      clockFindings(on: machine),
    ]
    return parts.flatMap { $0 }
  }

  /// Whether the configuration identifies at least one app by the systemd unit of the app's process.
  private var identifiesUnits: Bool { configuration.identities.contains(where: \.isUnit) }

  /// Returns an error for each app that is identified by a systemd unit; empty if the kernel is new enough to identify
  /// the unit of a connecting process.
  private func unitFindings(on machine: Machine) -> [Finding] {
    guard let kernel = machine.kernel, kernel < Machine.Kernel.firstWithPeerDescriptors else { return [] }
    return configuration.identities.filter(\.isUnit).map { identified in
      Finding(
        .unitUnproven, at: identified.location,
        [
          "app": "\(identified.app)", "kernel": "\(kernel)", "first": "\(Machine.Kernel.firstWithPeerDescriptors)",
        ])
    }
  }

  /// Returns the errors that prevent the start of the daemon. Either other users can read the receiver without the
  /// daemon, or a restart of the machine would lose a user's denial or lock.
  package func refusals(on machine: Machine) -> [Finding] {
    (receiverFindings(on: machine) + storageFindings(on: machine)).filter {
      $0.severity == .error && ["receiver-shared", "state-volatile"].contains($0.code)
    }
  }

  package var needsMachine: Bool {
    !board.isSimulated || identifiesUnits || features.contains(where: \.isCheckedWithSimulatedBoard)
  }

  /// Returns the errors because of which the daemon does not open the serial port of a feature.
  package func closedPorts(on machine: Machine) -> [Finding] {
    features.flatMap { feature in
      feature.findings(about: self, on: machine).filter {
        feature.closingFaults.contains($0.fault)
      }
    }
  }

  /// Returns the errors and warnings that the daemon logs when it starts.
  /// - Parameter machine: The state of the machine; nil to return only problems in the configuration.
  package func warnings(on machine: Machine?) -> [Finding] {
    let found = machine.map { findings(on: $0).filter(\.fault.isLogged) } ?? []
    return (configurationFindings + found).filter { $0.severity != .note }
  }
}

extension [Finding] {
  /// The codes of the problems, as in `chip-absent`, without duplicates, for the gateway's status. Problems that can
  /// change while the gateway runs are left out, because other fields of the status report their present state.
  package var statusCodes: [String] {
    filter { !$0.fault.isLive }.map(\.code).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
