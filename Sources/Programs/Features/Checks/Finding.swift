import Base
package import Configuration

/// One result of the checks, in the format of a compiler's message.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
  package enum Severity: String, Hashable, Sendable {
    /// A feature or a device does not work, or does not protect the location.
    case error
    /// A feature or a device works, but has a weakness.
    case warning
    /// Information only.
    case note
  }

  package let fault: Fault
  /// The code, which scripts and pages use. A code never changes.
  package let code: String
  /// The location in the configuration that the finding concerns.
  package let location: ConfigurationLocation
  /// The message in lower case, without a final period.
  package let message: String
  /// The remedy; nil for a note that needs none.
  package let remedy: String?
  /// The changes of the machine that are the remedy; empty if a script cannot make them.
  package let repairs: [Repair]

  /// Creates the finding of a fault.
  /// - Parameter values: The values for the names in braces in the texts of the fault.
  package init(
    _ fault: Fault, at location: ConfigurationLocation, _ values: [String: String] = [:], repairs: [Repair] = []
  ) {
    self.fault = fault
    self.location = location
    self.repairs = repairs
    code = filled(fault.code) { values[$0] }
    message = filled(fault.message) { values[$0] }
    remedy = fault.remedy.map { remedy in filled(remedy) { values[$0] } }
  }

  package var severity: Severity { fault.severity }

  /// The finding as text, as in `board.toml:12: error: no chip has the label 'x' (this machine has: y) [chip-absent]`.
  package var description: String {
    "\(location): \(severity.rawValue): \(message)" + (remedy.map { " (\($0))" } ?? "") + " [\(code)]"
  }
}

/// A fault that the checks can find: a row of a table of faults. A name in braces in a text, as in `{path}`, stands for
/// a value of the finding. Several faults can have one code. A feature has a table of its own faults.
package struct Fault: Hashable, Sendable {
  package let code: String
  package let severity: Finding.Severity
  let message: String
  let remedy: String?
  /// Whether the fault concerns only the configuration, and not the machine.
  package let isConfiguration: Bool
  /// Whether the daemon logs the finding at its start, although the fault concerns the machine. Missing and busy
  /// devices are not logged, because the daemon reports an error when it opens them.
  package let isLogged: Bool
  /// Whether the status of a running gateway follows the present state of the fault, which can change after the start.
  package let isLive: Bool

  package init(
    _ code: String, _ severity: Finding.Severity, _ message: String, remedy: String? = nil,
    isConfiguration: Bool = false, isLogged: Bool = false, isLive: Bool = false
  ) {
    self.code = code
    self.severity = severity
    self.message = message
    self.remedy = remedy
    self.isConfiguration = isConfiguration
    self.isLogged = isLogged
    self.isLive = isLive
  }

  /// Creates a row whose finding is an error.
  package init(
    _ code: String, _ message: String, remedy: String, isConfiguration: Bool = false, isLogged: Bool = false,
    isLive: Bool = false
  ) {
    self.init(
      code, .error, message, remedy: remedy, isConfiguration: isConfiguration, isLogged: isLogged, isLive: isLive)
  }
}
