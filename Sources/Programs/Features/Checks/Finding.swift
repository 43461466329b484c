import Base
package import Configuration

/// A problem or a note that the checks of the machine report. The description has the format of a compiler's message.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
  package enum Severity: String, Hashable, Sendable {
    /// A feature or a device does not work, or does not protect the location.
    case error
    /// A feature or a device works, but has a weakness.
    case warning
    case note
  }

  package let fault: Fault
  /// The code for scripts and documentation, as in `chip-absent`. A code never changes.
  package let code: String
  /// The location of the setting in the configuration that causes the problem.
  package let location: ConfigurationLocation
  /// The message in lower case, without a final period.
  package let message: String
  /// The remedy; nil for a note that needs none.
  package let remedy: String?
  /// The changes of the machine that remove the cause; empty if a script cannot make the changes.
  package let repairs: [Repair]

  /// Creates the report of a problem from a row of the table of problems.
  /// - Parameter values: The text for each name in braces, as in `{path}`, by name.
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

  /// The report as text, as in `board.toml:12: error: no chip has the label 'x' (this machine has: y) [chip-absent]`.
  package var description: String {
    "\(location): \(severity.rawValue): \(message)" + (remedy.map { " (\($0))" } ?? "") + " [\(code)]"
  }
}

/// A kind of problem that the checks can report: a row of a table.
///
/// A name in braces in a text, as in `{path}`, stands for a value of the report. Several rows can have the same code. A
/// feature has a table of its own.
package struct Fault: Hashable, Sendable {
  package let code: String
  package let severity: Finding.Severity
  let message: String
  let remedy: String?
  /// Whether the problem is in the configuration alone, without a look at the machine.
  package let isConfiguration: Bool
  /// Whether the daemon writes the problem to its log at the start. False for missing and busy devices, because the
  /// daemon reports these when it opens the devices.
  package let isLogged: Bool
  /// Whether the status of a running gateway follows the present state of the problem, which can change after the
  /// start.
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

  /// Creates a row with the severity `error`.
  package init(
    _ code: String, _ message: String, remedy: String, isConfiguration: Bool = false, isLogged: Bool = false,
    isLive: Bool = false
  ) {
    self.init(
      code, .error, message, remedy: remedy, isConfiguration: isConfiguration, isLogged: isLogged, isLive: isLive)
  }
}
