import ArgumentParser
import Configuration
import Glibc
import OperatingSystem
import Telemetry
import LineProtocol
import Logging

@main
struct Daemon: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onefixd",
    abstract: "Serve one location fix for one press of a button.",
    version: "onefixd \(Release.version)",
    subcommands: [Check.self, ConsolePIN.self])

  @OptionGroup var selection: SelectionOptions

  @OptionGroup var files: StateOptions

  @Option(
    help:
      "The apps' socket. The owners' is owner.sock next to it. (default: $ONEFIX_SOCKET or /run/onefix/onefix.sock)"
  )
  var socket: String?

  @Flag(
    help: "Write a new anchor file for the present log. Use this option only if you know why the old file was lost.")
  var renewAnchor = false

  @Flag(
    help:
      "Check whether the log and the rights of the apps are unchanged, and exit. No daemon may run. Exit status: 0 good, 3 broken."
  )
  var verifyLog = false

  @Flag(help: "Permit presses of the simulated button with a real receiver. The log marks such disclosures.")
  var allowSimulatedPress = false

  @Flag(inversion: .prefixedNo, help: "Show the simulated board in the terminal.")
  var panel = true

  @Option(
    help:
      "The log level: trace, debug, info, notice, warning, error, critical; for single subsystems as in receiver=debug,notice. (default: [log] in the configuration, otherwise notice)",
    transform: { text in
      do { return try LogLevels(text) } catch { throw ValidationError("\(error)") }
    })
  var logLevel: LogLevels?

  /// Runs the daemon, or verifies the log. The exit status is 0 after a signal, 2 for an error of the configuration, 3
  /// for an error of the machine, and 64 for wrong usage.
  func run() throws {
    // By default, only the daemon's user can access new files.
    umask(0o077)
    // A write to a closed connection must fail with an error, and must not end the process.
    signal(SIGPIPE, SIG_IGN)
    // A write above the limit of the file size must fail with an error. The store reports this error as a full disk.
    signal(SIGXFSZ, SIG_IGN)
    let log = LogOutput(program: "onefixd", levels: logLevel ?? LogLevels(), journalStream: environmentVariable("JOURNAL_STREAM"))
    LoggingSystem.bootstrap { label in log.handler(label: label) }
    if verifyLog {
      do {
        guard try Assembly(self, log).verifyLog() else { throw ExitCode(3) }
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
        Self.exit()
      } catch {
        Self.exit(withError: Self.status(of: error))
      }
    }
    signals.wait()
  }

  private static func status(of error: any Error) -> ExitCode {
    switch error {
    case let status as ExitCode: return status
    case let error as ConfigurationError:
      printError("\(error)")
      return ExitCode(2)
    case let refusal as MachineRefusal:
      for finding in refusal.findings { printError("\(finding)") }
      return ExitCode(3)
    default:
      printError("onefixd: \(error)")
      return ExitCode(3)
    }
  }
}

func printError(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
