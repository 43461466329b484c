package import Configuration

/// The object of the checks: a board with the owner's settings, its receiver, and the configuration of the gateway.
package struct Subject: Sendable {
  package var board: Board
  package var configuration: GatewayConfiguration
  /// The configured features with checks, in the order of the report.
  package var features: [any CheckedFeature] { configuration.features.compactMap { $0 as? any CheckedFeature } }
  package var receiver: ReceiverSpec
  /// The location of the receiver's setting in the configuration.
  package var receiverLocation: ConfigurationLocation
  /// The files of the gateway's state; nil if the checks omit these files.
  package var stateFiles: StateFiles?

  /// Creates the object of the checks.
  /// - Parameter receiver: The receiver that the command line selects; nil if the board determines the receiver.
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
      + features.flatMap { $0.configurationFindings(about: self) } + sharedAppFindings + unknownUserFindings
  }

  package func findings(on machine: Machine) -> [Finding] {
    let parts: [[Finding]] = [
      lineFindings(on: machine), ledFindings(on: machine), receiverFindings(on: machine),
      features.flatMap { $0.findings(about: self, on: machine) }, deviceKeyFindings(on: machine),
      unitFindings(on: machine), storageFindings(on: machine), clockFindings(on: machine),
    ]
    return parts.flatMap { $0 }
  }

  /// Whether the gateway identifies at least one app by its systemd unit.
  private var identifiesUnits: Bool { configuration.identities.contains(where: \.isUnit) }

  /// Returns an error for each app that is identified by a systemd unit, if the kernel is too old for this
  /// identification.
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

  /// Returns the errors that prevent the start of the daemon: other users could bypass the daemon's authorization, or a
  /// restart of the machine would undo a user's decision.
  package func refusals(on machine: Machine) -> [Finding] {
    (receiverFindings(on: machine) + storageFindings(on: machine)).filter {
      $0.severity == .error && ["receiver-shared", "state-volatile"].contains($0.code)
    }
  }

  /// Whether the daemon checks the machine at its start.
  package var needsMachine: Bool {
    !board.isSimulated || identifiesUnits || features.contains(where: \.isCheckedWithSimulatedBoard)
  }

  /// Returns the errors that keep the port of a feature closed.
  package func closedPorts(on machine: Machine) -> [Finding] {
    features.flatMap { feature in
      feature.findings(about: self, on: machine).filter {
        feature.closingFaults.contains($0.fault)
      }
    }
  }

  /// Returns the problems that the daemon writes to its log at the start. Notes are not included.
  package func warnings(on machine: Machine?) -> [Finding] {
    let found = machine.map { findings(on: $0).filter(\.fault.isLogged) } ?? []
    return (configurationFindings + found).filter { $0.severity != .note }
  }
}

extension [Finding] {
  /// The codes of the problems for the status of a running gateway, each once. Problems that can change after the start
  /// are not included, because other fields of the status follow these.
  package var statusCodes: [String] {
    filter { !$0.fault.isLive }.map(\.code).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
