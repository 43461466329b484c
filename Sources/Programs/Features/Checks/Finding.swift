import Base
package import Configuration

/// A problem or a note that the command `onefixd check` prints. The description has the format of a compiler's message.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
  package enum Severity: String, Hashable, Sendable {
    /// A feature or a device does not work, or does not protect the location.
    case error
    /// A feature or a device works, but has a weakness.
    case warning
    case note
  }

  package let fault: Fault
  /// The code of the problem, as in `chip-absent`. A code never changes, so that scripts can compare codes.
  package let code: String
  /// The file and the text line of the setting that causes the problem.
  package let location: ConfigurationLocation
  /// The problem in words, in lower case and without a final period.
  package let message: String
  /// The advice on how to remove the problem; nil for a note without advice.
  package let remedy: String?
  /// The changes of the machine that a script can make to remove the problem; empty if only a person can remove the
  /// problem.
  package let repairs: [Repair]

  /// Creates a finding about a problem of a given kind.
  /// - Parameters:
  ///   - fault: The kind of problem, with a template for each text.
  ///   - values: The texts that replace the names in braces of the templates, as in `{path}`. The key is the name.
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
  /// Control characters, for example in the name of a program, are escaped.
  package var description: String {
    DiagnosticText.plain(
      "\(location): \(severity.rawValue): \(message)" + (remedy.map { " (\($0))" } ?? "") + " [\(code)]")
  }
}

/// A kind of problem that `onefixd check` can report, with a template for its code, its message and its remedy.
///
/// A name in braces in a template, as in `{path}`, stands for a value that the finding supplies. Several kinds of
/// problem can have the same code.
package struct Fault: Hashable, Sendable {
  package let code: String
  package let severity: Finding.Severity
  let message: String
  let remedy: String?
  /// Whether the check finds the problem by the configuration alone, without the state of the machine.
  package let isConfiguration: Bool
  /// Whether the daemon logs the problem when the daemon starts. The value is false for missing and busy devices,
  /// because the daemon reports such a problem when the daemon opens the device.
  package let isLogged: Bool
  /// Whether the problem can appear or disappear while the gateway runs. The gateway's status then reports the present
  /// state in other fields.
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

  /// Creates a kind of problem with the severity `error`.
  package init(
    _ code: String, _ message: String, remedy: String, isConfiguration: Bool = false, isLogged: Bool = false,
    isLive: Bool = false
  ) {
    self.init(
      code, .error, message, remedy: remedy, isConfiguration: isConfiguration, isLogged: isLogged, isLive: isLive)
  }
}
