import ArgumentParser
import FoundationEssentials
import Glibc
import LineProtocol
import OneFixClient

struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say in plain words what is good and what is to be mended.",
    discussion: """
      Asks the gateway, where it runs, and has onefixd check look at the machine: as root, or as the daemon's user, it \
      sees most. No position is shown.

      Exit status: 0 all good, 1 something to mend, 64 usage.
      """)

  @OptionGroup var socket: SocketOptions

  @Option(help: "The board to look for. (default: the one that the gateway runs on)")
  var board: String?

  @Option(help: "The receiver to look for. (default: the one that the gateway has)")
  var receiver: String?

  @Option(help: "The gateway's configuration. (default: /etc/onefix/onefix.toml, where it is)")
  var config: String?

  @Option(help: "Where boards are described. (default: as onefixd looks for them)")
  var boards: String?

  func run() async throws {
    var statements: [Statement] = []
    var status: ServerLine.Fields = [:]
    do throws(LinkError) {
      status = try await Doctor.status(of: socket.apps.owners)
      statements.append(
        Statement(.good, "The gateway \(status["gateway"] ?? "") runs on board \(status["board"] ?? "")."))
      statements += Diagnosis(status: status).statements
    } catch {
      statements.append(
        Statement(.bad, "The gateway cannot be asked: \(error).", advice: "systemctl status onefix, or start onefixd."))
    }
    let checked = check(status)
    statements += checked.statements + Diagnosis(status: status).warnings(besides: checked.codes)
    for line in statements.flatMap(\.lines) { print(line) }
    if statements.contains(where: { $0.level == .bad }) { throw ExitCode(1) }
  }

  private static func status(of endpoint: OneFixClient.Endpoint) async throws(LinkError) -> ServerLine.Fields {
    let client = try await OwnerClient.connect(endpoint)
    let fields = try await client.perform(.status)
    await client.close()
    return fields
  }

  // MARK: The machine

  /// What `onefixd check` says.
  private func check(_ status: ServerLine.Fields) -> (statements: [Statement], codes: Set<String>) {
    guard let board = board ?? status["board"] else {
      return ([Statement(.note, "The machine was not looked at: --board says for which board.")], [])
    }
    var words = ["check", "--json", "--board", board]
    let options = [
      ("--receiver", receiver ?? status["source"]), ("--config", config), ("--boards", boards),
      ("--user", user(status)),
    ]
    for (option, value) in options { if let value { words += [option, value] } }
    guard let output = ChildOutput(ofSibling: "onefixd", words) else {
      return ([Statement(.note, "The machine was not looked at: there is no onefixd here.")], [])
    }
    guard [0, 2, 3].contains(output.status) else {
      return ([Statement(.note, "The machine was not looked at: onefixd check ended with \(output.status).")], [])
    }
    let findings = output.lines.compactMap { Doctor.Finding(json: $0) }
    let statements = findings.map(\.statement)
    let isGood = !statements.contains { $0.level == .bad || $0.level == .warning }
    return (
      statements + (isGood ? [Statement(.good, "Configuration and machine fit the board.")] : []),
      Set(findings.compactMap(\.code))
    )
  }

  /// Who the daemon runs as: what it may is asked, not what you may.
  private func user(_ status: ServerLine.Fields) -> String? {
    status["uid"].flatMap { $0 == "\(geteuid())" ? nil : $0 }
  }

  /// A line of `onefixd check --json`.
  struct Finding: Decodable {
    var severity: String
    var code: String?
    var file: String
    var line: Int?
    var message: String
    var remedy: String?

    init?(json: String) {
      guard let found = try? JSONDecoder().decode(Finding.self, from: Data(json.utf8)) else { return nil }
      self = found
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
