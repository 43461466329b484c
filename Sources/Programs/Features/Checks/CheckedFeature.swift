package import Configuration

/// A feature (optional interface of the gateway) whose settings the command `onefixd check` examines.
package protocol CheckedFeature: ConfiguredFeature {
  /// The files, serial ports, addresses and programs whose state the check of this feature needs.
  var objects: [MachineObject] { get }
  var lineUses: [LineUse] { get }
  var buses: [String] { get }
  /// The kinds of error after which the daemon does not open the feature's serial port. The open port would let other
  /// users bypass the daemon's authorization. The gateway works without the port.
  var closingFaults: Set<Fault> { get }
  /// Whether the daemon checks this feature against the machine even if the board (the buttons and LEDs) is simulated.
  var isCheckedWithSimulatedBoard: Bool { get }

  /// Returns the problems that the configuration alone shows, without the state of the machine.
  func configurationFindings(about subject: Subject) -> [Finding]

  func findings(about subject: Subject, on machine: Machine) -> [Finding]
}

extension CheckedFeature {
  package var objects: [MachineObject] { [] }
  package var lineUses: [LineUse] { [] }
  package var buses: [String] { [] }
  package var closingFaults: Set<Fault> { [] }
  package var isCheckedWithSimulatedBoard: Bool { false }

  package var serialPorts: [String] {
    objects.compactMap { object in if case .port(let path) = object { path } else { nil } }
  }

  package func configurationFindings(about subject: Subject) -> [Finding] { [] }

  package func findings(about subject: Subject, on machine: Machine) -> [Finding] { [] }
}

/// An object of the machine that a feature uses, and whose state the check reads.
package enum MachineObject: Hashable, Sendable {
  case file(String)
  case port(String)
  case endpoint(ListenEndpoint)
  case program(String)
  case pwmChips
}
