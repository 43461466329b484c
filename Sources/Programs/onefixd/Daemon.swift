import Configuration
import Glibc
import Logging
import OneFixClient
import OperatingSystem

@main
struct Daemon {
  var selection: SelectionOptions
  let files: StateOptions
  let socket: String?
  let renewAnchor: Bool
  let verifyLog: Bool
  let allowSimulatedPress: Bool
  let panel: Bool
  let panelPoints: Bool
  let logLevel: LogLevels?

  private static let table = OptionTable(
    command: "onefixd", subcommands: ["check [OPTION...]", "console-pin [OPTION...]"],
    overview: "Serve one location fix for one press of a button.",
    discussion: """
      SUBCOMMANDS:
        check        Check the configuration, and this machine for the board.
        console-pin  Set the console's PIN.

      See 'onefixd SUBCOMMAND --help' for the options of a subcommand.
      """,
    options: SelectionOptions.options + StateOptions.options + [
      .init(
        "socket", "PATH",
        "The apps' socket. The owners' is owner.sock next to it. (default: $ONEFIX_SOCKET or /run/onefix/onefix.sock)"),
      .init(
        "renew-anchor",
        "Write a new anchor file for the present log. Use this option only if you know why the old file was lost."),
      .init(
        "verify-log",
        """
        Check whether the log and the rights of the apps are unchanged, and exit. No daemon may run. Exit status: 0 \
        good, 3 broken or not checked.
        """),
      .init(
        "allow-simulated-press",
        "Permit presses of the simulated button with a real receiver. The log marks such disclosures."),
      .init("panel", "Show the simulated board in the terminal. (default)"),
      .init("no-panel", "Do not show the simulated board in the terminal."),
      .init(
        "panel-points",
        "Offer the key p in the panel. Key p ends the daemon with status 4; Scripts/run then adds a file of points."
      ),
      .init(
        "log-level", "LEVEL",
        """
        The log level: trace, debug, info, notice, warning, error, critical; for single subsystems as in \
        receiver=debug,notice. (default: [log] in the configuration, otherwise notice)
        """),
    ])

  /// Runs the command. The exit status is 0 after a signal, 2 for an error of the configuration, 3 for an error of the
  /// machine, and 4 after the key `p` of the panel. An error of the command line gives 64, and an output that cannot be
  /// written gives 74.
  static func main() {
    requireOutputAtExit()
    var words = Array(CommandLine.arguments.dropFirst())
    if words.first == "help" { words = words.dropFirst() + ["--help"] }
    do {
      switch words.first {
      case "check": try Check(Check.table.parse(Array(words.dropFirst()))).run()
      case "console-pin": try ConsolePIN(ConsolePIN.table.parse(Array(words.dropFirst()))).run()
      default: try Daemon(table.parse(words)).run()
      }
    } catch {
      exit(for: error)
    }
  }

  private init(_ values: [String: String]) throws(UsageError) {
    selection = SelectionOptions(values)
    files = StateOptions(values)
    socket = values["socket"]
    let path = Selection.socketPath(socket)
    if OneFixClient.Endpoint.ownerPath(beside: path) == path {
      throw UsageError("the apps' socket cannot be \(path), which is the owners' socket: choose another name")
    }
    renewAnchor = values["renew-anchor"] != nil
    verifyLog = values["verify-log"] != nil
    allowSimulatedPress = values["allow-simulated-press"] != nil
    panel = values["no-panel"] == nil
    panelPoints = values["panel-points"] != nil
    do {
      logLevel = try values["log-level"].map { text in try LogLevels(text) }
    } catch {
      throw UsageError("--log-level: \(error)")
    }
  }

  /// Runs the daemon, or verifies the disclosure log (the log of fixes sent to apps) with the option `--verify-log`.
  private func run() throws {
    // By default, only the daemon's user can access new files.
    umask(0o077)
    // A write to a closed connection must fail with an error, and must not end the process.
    signal(SIGPIPE, SIG_IGN)
    // A write above the limit of the file size must fail with an error. The store reports this error as a full disk.
    signal(SIGXFSZ, SIG_IGN)
    let log = LogOutput(
      program: "onefixd", levels: logLevel ?? LogLevels(), journalStream: environmentVariable("JOURNAL_STREAM"))
    LoggingSystem.bootstrap { label in log.handler(label: label) }
    if verifyLog {
      do {
        guard try Assembly(self, log).verifyLog() else { throw ExitStatus(3) }
      } catch {
        throw Self.status(of: error)
      }
    } else {
      serve(log)
    }
  }

  private func serve(_ log: LogOutput) -> Never {
    let signals = Signals()
    runTasksOnEventLoop()
    Task {
      do {
        try await Assembly(self, log).run(signals)
        exit(0)
      } catch {
        exit(for: Self.status(of: error))
      }
    }
    signals.wait()
  }

  private static func status(of error: any Error) -> ExitStatus {
    switch error {
    case let status as ExitStatus: return status
    case let error as ConfigurationError:
      printError("\(error)")
      return ExitStatus(2)
    case let refusal as MachineRefusal:
      for finding in refusal.findings { printError("\(finding)") }
      return ExitStatus(3)
    default:
      printError("onefixd: \(error)")
      return ExitStatus(3)
    }
  }
}

func printError(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}

/// Makes the end of the program write the rest of the standard output. If a part of the output cannot be written, for
/// example on a full disk, the program prints the error and ends with `EX_IOERR` (74). A reader may close a pipe early,
/// as `head` does.
private func requireOutputAtExit() {
  atexit {
    guard fflush(nil) != 0, errno != EPIPE else { return }
    printError("onefixd: cannot write the standard output: \(systemErrorText(errno))")
    _exit(EX_IOERR)
  }
}
