package import Configuration

/// A feature (optional interface of the gateway) whose settings the command `onefixd check` examines.
package protocol CheckedFeature: ConfiguredFeature {
  /// The objects of the machine, for example files and serial ports, whose state the checks need.
  var objects: [MachineObject] { get }
  /// The GPIO lines that the feature uses.
  var lineUses: [LineUse] { get }
  /// The paths of the I2C buses that the feature uses, as in `/dev/i2c-1`.
  var buses: [String] { get }
  /// The errors that keep a port of the feature closed, because an open port would let other users bypass the daemon's
  /// authorization. The gateway works without the port.
  var closingFaults: Set<Fault> { get }
  /// Whether the daemon also checks the machine if the board is simulated.
  var isCheckedWithSimulatedBoard: Bool { get }

  /// Returns the problems in the configuration alone, without a look at the machine.
  func configurationFindings(about subject: Subject) -> [Finding]

  func findings(about subject: Subject, on machine: Machine) -> [Finding]
}

extension CheckedFeature {
  package var objects: [MachineObject] { [] }
  package var lineUses: [LineUse] { [] }
  package var buses: [String] { [] }
  package var closingFaults: Set<Fault> { [] }
  package var isCheckedWithSimulatedBoard: Bool { false }

  /// The paths of the feature's serial ports.
  package var serialPorts: [String] {
    objects.compactMap { object in if case .port(let path) = object { path } else { nil } }
  }

  package func configurationFindings(about subject: Subject) -> [Finding] { [] }

  package func findings(about subject: Subject, on machine: Machine) -> [Finding] { [] }
}

/// An object of a machine that a feature uses.
package enum MachineObject: Hashable, Sendable {
  /// The path of a file or folder.
  case file(String)
  /// The path of a serial port.
  case port(String)
  /// A network address or a Unix socket on which the feature listens.
  case endpoint(ListenEndpoint)
  /// All running processes of a program, by the name of the program.
  case program(String)
  case pwmChips
}
