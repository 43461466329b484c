import ArgumentParser
import Glibc
import LineProtocol
import OneFixClient
import OwnerScreens

struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Explain the state of the gateway and its faults in plain words.",
    discussion: """
      Requests the status of the gateway, if it runs, and runs onefixd check on the machine. Run it as root or as the \
      daemon's user for complete results. The output contains no position.

      Exit status: 0 no faults, 1 faults, 64 usage.
      """)

  @OptionGroup var socket: SocketOptions

  @Option(help: "The board to check. (default: the gateway's board)")
  var board: String?

  @Option(help: "The receiver to check. (default: the gateway's receiver)")
  var receiver: String?

  @Option(help: "The gateway's configuration. (default: /etc/onefix/onefix.toml, if it exists)")
  var config: String?

  @Option(help: "The folder of board descriptions. (default: as for onefixd)")
  var boards: String?

  func run() async throws {
    var statements: [Statement] = []
    var status: ServerLine.Fields = [:]
    do {
      status = try await OwnerClient.with(socket.apps.owners) { try await $0.perform(.status).fields }
      statements.append(
        Statement(.good, "The gateway \(status["gateway"] ?? "") runs on board \(status["board"] ?? "")."))
      statements += Diagnosis(status: status).statements
    } catch {
      let advice: String? =
        switch error {
        case LinkError.noGateway(_, LinkError.noAnswer, _):
          "onefixd runs, but does not answer. Restart it: systemctl restart onefix."
        // If this user may not open the socket, the error has the remedy.
        case LinkError.noGateway(_, _, let remedy) where remedy != LinkError.isItRunning: nil
        default: "Check systemctl status onefix, or start onefixd."
        }
      statements.append(Statement(.bad, "The gateway does not reply: \(error).", advice: advice))
    }
    let checked = check(status)
    statements += checked.statements + Diagnosis(status: status).warnings(besides: checked.codes)
    try printLines(statements.flatMap { Screen.hasColours ? $0.colouredLines : $0.lines })
    if statements.contains(where: { $0.level == .bad }) { throw ExitCode(1) }
  }

  // MARK: The machine

  private func check(_ status: ServerLine.Fields) -> (statements: [Statement], codes: Set<String>) {
    guard let board = board ?? status["board"] else {
      return ([Statement(.note, "The machine was not checked (use --board to choose a board).")], [])
    }
    var words = ["check", "--json", "--board", board]
    let options = [
      ("--receiver", receiver ?? status["source"]), ("--config", config), ("--boards", boards),
      ("--user", user(status)),
    ]
    for (option, value) in options { if let value { words += [option, value] } }
    guard let output = ChildOutput(ofSibling: "onefixd", words) else {
      return ([Statement(.note, "The machine was not checked: onefixd is not installed.")], [])
    }
    guard [0, 2, 3].contains(output.status) else {
      return ([Statement(.note, "The machine was not checked: onefixd check ended with \(output.status).")], [])
    }
    let findings = Doctor.findings(in: output.lines, isRunning: status["gateway"] != nil)
    let statements = findings.map(\.statement)
    let isGood = !statements.contains { $0.level == .bad || $0.level == .warning }
    return (
      statements + (isGood ? [Statement(.good, "Configuration and machine fit the board.")] : []),
      Set(findings.compactMap(\.code))
    )
  }

  /// Parses the output of `onefixd check --json`.
  /// - Parameters:
  ///   - lines: The lines of text, each a JSON object.
  ///   - isRunning: Whether the gateway runs. If so, problems with the files of the state are left out, because the
  ///     gateway itself reports them.
  static func findings(in lines: [String], isRunning: Bool) -> [Finding] {
    let ofStateFiles: Set<String?> = isRunning ? ["state-volatile", "state-read-only"] : []
    return lines.compactMap { Finding(json: $0) }.filter { !ofStateFiles.contains($0.code) }
  }

  /// Returns the number (uid) of the daemon's Unix user, for the check of permissions; nil if unknown, or if this
  /// process has the same user.
  private func user(_ status: ServerLine.Fields) -> String? {
    status["uid"].flatMap { $0 == "\(geteuid())" ? nil : $0 }
  }

  /// A problem from one text line in the output of `onefixd check --json`.
  struct Finding {
    var severity: String
    var code: String?
    var file: String
    var line: Int?
    var message: String
    var remedy: String?

    init?(json: String) {
      guard let members = JSONValue(json.utf8), let severity = members["severity"]?.string,
        let file = members["file"]?.string, let message = members["message"]?.string
      else { return nil }
      (self.severity, self.file, self.message) = (severity, file, message)
      code = members["code"]?.string
      line = members["line"]?.integer
      remedy = members["remedy"]?.string
    }

    var statement: Statement {
      let level: Statement.Level =
        switch severity {
        case "error": .bad
        case "warning": .warning
        default: .note
        }
      let text = message.prefix(1).uppercased() + message.dropFirst()
      return Statement(level, "\(text) (\(file)\(line.map { ":\($0)" } ?? "")).", advice: remedy)
    }
  }
}
