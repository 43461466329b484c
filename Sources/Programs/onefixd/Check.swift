import Base
import Configuration
import Features
import Glibc
import OperatingSystem

/// The command `onefixd check`, which checks the configuration and the machine. The output has the format of compiler
/// messages.
struct Check {
  private let selection: SelectionOptions
  private let files: StateOptions
  private let user: String?
  private let json: Bool
  private let script: Bool
  private let labels: Bool

  static let userOption = OptionTable.Option(
    "user", "USER",
    "The user that the daemon runs as, by name or number. (default: the current user; for root, onefix)")

  static let table = OptionTable(
    command: "onefixd check", overview: "Check the configuration, and this machine for the board.",
    discussion: """
      One line for each finding: FILE:LINE: error|warning|note: message (remedy) [code].

      Exit status: 0 no errors, or a script was printed; 2 errors of the configuration, or with --labels a text that \
      is too long for its label; 3 errors of the machine, 64 usage, 74 cannot write the output.
      """,
    options: SelectionOptions.options + StateOptions.options + [
      userOption,
      .init("json", "Print one JSON object for each finding to standard output."),
      .init(
        "script",
        """
        Print a shell script that makes the changes that the findings ask for. Read it, and run it as root. A second \
        run changes nothing.
        """),
      .init(
        "labels", "List only the buttons' labels in each language, with the needed and the available width."),
    ])

  init(_ values: [String: String]) {
    selection = SelectionOptions(values)
    files = StateOptions(values)
    user = values["user"]
    json = values["json"] != nil
    script = values["script"] != nil
    labels = values["labels"] != nil
  }

  func run() throws {
    let selected: Selection
    do {
      selected = try Selection(selection)
    } catch {
      for fault in error.diagnostics { report(fault) }
      if !json { printError("\(Self.count(error.diagnostics.count, "error")): the machine was not checked") }
      throw ExitStatus(2)
    }
    if labels { return try list(LabelList(selected.board)) }
    var subject = selected.subject
    subject.stateFiles = files.files(for: subject, isService: true)
    subject.checksConfigurationFile = selected.configurationFile == Subject.configurationFile
    let reader = MachineReader()
    let machine = reader.machine(for: subject, user: try daemonUser(reader, named: user))
    let found =
      subject.configurationFindings + subject.findings(on: machine)
      + selected.features.flatMap { $0.contentFindings(at: SystemClock.reading.utc) }
    if script {
      for line in RepairScript(found, for: subject, on: machine).lines { print(line) }
      return
    }
    for finding in found.sorted(by: { Self.place($0) < Self.place($1) }) { report(finding) }
    let errors = found.filter { $0.severity == .error }
    let warnings = found.count { $0.severity == .warning }
    let counts = [Self.count(errors.count, "error")] + (warnings > 0 ? [Self.count(warnings, "warning")] : [])
    let summary = "\(counts.joined(separator: ", ")): board \(selected.board.name), receiver \(selected.receiver)"
    if !json { errors.isEmpty ? print(summary) : printError(summary) }
    if errors.contains(where: \.fault.isConfiguration) { throw ExitStatus(2) }
    if !errors.isEmpty { throw ExitStatus(3) }
  }

  private static func place(_ finding: Finding) -> (file: String, line: Int) {
    (finding.location.file, finding.location.line ?? 0)
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count == 0 ? "no" : "\(count)") \(noun)\(count == 1 ? "" : "s")"
  }

  private func list(_ labels: LabelList) throws {
    for line in json ? labels.objects : labels.lines { print(line) }
    if labels.hasExcess { throw ExitStatus(2) }
  }

  private func report(_ fault: Diagnostic) {
    guard json else { return printError("\(fault)") }
    report("error", nil, ConfigurationLocation(file: fault.file, line: fault.line), fault.message, nil)
  }

  private func report(_ finding: Finding) {
    guard json else { return printError("\(finding)") }
    report(finding.severity.rawValue, finding.code, finding.location, finding.message, finding.remedy)
  }

  private func report(
    _ severity: String, _ code: String?, _ location: ConfigurationLocation, _ message: String, _ remedy: String?
  ) {
    let object: JSONObject = [
      "severity": severity, "code": code, "file": location.file, "line": location.line, "message": message,
      "remedy": remedy,
    ]
    print(object.text)
  }
}

/// Returns the user of the daemon for the checks: the user with the given name, or else the present user. If the
/// present user is root, the result is the user that the installation package has created.
func daemonUser(_ reader: MachineReader, named name: String?) throws -> Accounts.User {
  let users = reader.accounts.users
  guard let name else {
    let packaged = users.first { $0.name == "onefix" }
    return geteuid() == 0 ? packaged ?? reader.ownUser : reader.ownUser
  }
  if let known = users.first(where: { $0.name == name || "\($0.uid)" == name }) { return known }
  throw UsageError("--user: unknown user '\(name)'")
}

/// The error that the daemon refuses to start on this machine, for example because other users could read its key.
struct MachineRefusal: Error {
  /// The problems that prevent the start of the daemon. The array has at least one element.
  let findings: [Finding]
}
