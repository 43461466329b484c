import ArgumentParser
import Base
import Glibc
import LineProtocol
import OneFixClient

@main
enum Program {
  static func main() async {
    if let error = OneFixCommand.errorOfUnknownCommand(in: CommandLine.arguments.dropFirst()) {
      printError("onefix: \(error)")
      exit(ExitCode.validationFailure.rawValue)
    }
    await OneFixCommand.main()
  }
}

/// The command `onefix`, with which apps and owners (administrators) use the gateway from a shell.
struct OneFixCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onefix",
    abstract: "Request one location fix, and administer the authorization of apps.",
    discussion:
      "A user decides with the gateway's button. All commands except decode and lab need a running onefixd.",
    version: "onefix \(Release.version)",
    groupedSubcommands: [
      CommandGroup(name: "Ask", subcommands: [Request.self, PressCommand.self, HoldCommand.self]),
      CommandGroup(
        name: "Decide",
        subcommands: ownerCommands.filter { !observing.contains($0._commandName) && $0._commandName != "reload" }),
      CommandGroup(
        name: "Look",
        subcommands: ownerCommands.filter { observing.contains($0._commandName) }
          + [
            TopCommand.self, ConsoleCommand.self, DisplayCommand.self, ReportCommand.self, MetricsCommand.self,
          ]),
      CommandGroup(
        name: "Repair", subcommands: [Doctor.self] + ownerCommands.filter { $0._commandName == "reload" }),
      CommandGroup(name: "Decode", subcommands: [Decode.self, LabCommand.self]),
    ])

  /// The names of the owner's commands that only show information.
  private static let observing: Set<String> = [
    "apps", "log", "page", "prompts", "receiver", "regions", "show", "status",
  ]

  /// Returns the error message about an unknown command in a command line, with a suggestion. The result is nil if all
  /// commands are known.
  static func errorOfUnknownCommand(in words: some Sequence<String>) -> String? {
    var command: any ParsableCommand.Type = OneFixCommand.self
    var path = "onefix"
    for word in words {
      let commands = command.configuration.subcommands
      if commands.isEmpty || word.hasPrefix("-") || word == "help" { return nil }
      guard let next = commands.first(where: { $0._commandName == word }) else {
        let nearest = Spelling.nearest(to: word.lowercased(), among: commands.map { $0._commandName })
        let suggestion = nearest.map { "did you mean \(path) \($0)? " } ?? ""
        return "cannot run '\(path) \(word)': there is no such command (\(suggestion)\(path) --help lists all)"
      }
      command = next
      path += " \(word)"
    }
    return nil
  }
}

struct SocketOptions: ParsableArguments {
  @Option(
    help:
      "The apps' socket. The owners' is owner.sock next to it. (default: $ONEFIX_SOCKET or /run/onefix/onefix.sock)"
  )
  var socket: String?

  var apps: OneFixClient.Endpoint { socket.map { .unix($0) } ?? .standard }

  /// Connects to the gateway as an owner (administrator), and passes the connection to a closure. An error of the
  /// connection is printed, and the function throws an exit status.
  func asOwner<Value>(_ action: (OwnerClient) async throws -> Value) async throws -> Value {
    try await orExit { try await OwnerClient.with(apps.owners, action) }
  }
}

enum ExitStatus {
  static let noPress: Int32 = 3
  /// The exit status of `onefix log --verify` if the log of disclosures (fixes that apps received) was changed later.
  static let brokenLog: Int32 = 3
  static let denied: Int32 = 4
  static let locked: Int32 = 5
  static let noFix: Int32 = 6
  static let noGateway: Int32 = 7

  static func status(of error: LinkError) -> Int32 {
    switch error {
    case .noGateway, .closed: noGateway
    case .unexpected, .untrusted, .cancelled: 1
    case .refused(let refusal, _):
      switch refusal.code {
      case .noPress: noPress
      case .denied, .restricted: denied
      case .locked: locked
      case .noFix, .receiverAbsent, .indicator, .store, .notSaved, .expired: noFix
      case .shuttingDown: noGateway
      default: 1
      }
    }
  }

  static func status(of error: ClientError) -> Int32 {
    switch error {
    case .noGateway, .connectionLost, .closed: noGateway
    case .noPress: noPress
    case .denied, .restricted: denied
    case .locked: locked
    case .noFix, .withheld, .expired: noFix
    case .untrusted, .unauthenticated, .incompatible, .notDetermined, .notInUse, .alreadyAsking, .tooSoon, .tooMany,
      .invalid, .gatewayFailed, .unexpected, .cancelled:
      1
    }
  }
}

/// Runs a closure. An error of a connection or a file is printed, and the function throws the exit status instead.
func orExit<Value>(_ action: () async throws -> Value) async throws -> Value {
  do { return try await action() } catch { throw exitError(for: error) }
}

/// Runs a closure that reads or writes files. An error is printed, and the function throws the exit status instead.
func filesOrExit(_ action: () throws(FileError) -> Void) throws {
  do throws(FileError) { try action() } catch { throw exitError(for: error) }
}

/// Prints an error of a connection or a file, and returns the exit status (`ExitCode`). Any other error is returned
/// without being printed.
func exitError(for error: any Error) -> any Error {
  let (text, status): (String, Int32)
  switch error {
  case let error as LinkError: (text, status) = ("\(error)", ExitStatus.status(of: error))
  case let error as LineError: (text, status) = (error.text, ExitStatus.status(of: .refused(error)))
  case let error as ClientError: (text, status) = ("\(error)", ExitStatus.status(of: error))
  case let error as FileError: (text, status) = ("\(error)", error.status)
  default: return error
  }
  printError("onefix: \(text)")
  return ExitCode(status)
}

func printError(_ line: String) { write("\(line)\n", to: STDERR_FILENO) }

/// Writes a text to a file descriptor. Write errors are ignored, because the text is a message to the user.
func write(_ text: String, to descriptor: Int32) {
  let bytes = Array(text.utf8)
  _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
}
