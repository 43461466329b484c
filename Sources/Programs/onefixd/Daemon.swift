import ArgumentParser
import Configuration
import FoundationEssentials
import Glibc
import Telemetry
import LineProtocol
import Logging

/// The daemon `onefixd`.
@main
struct Daemon: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onefixd",
    abstract: "Serve one location fix for one press of a button.",
    version: "onefixd \(Release.version)",
    subcommands: [Check.self, ConsolePIN.self])

  @OptionGroup var selection: SelectionOptions

  @Option(help: "Where state is kept.")
  var state = "/var/lib/onefix"

  @Option(
    help: "The apps' socket; the owners' is owner.sock beside it. (default: $ONEFIX_SOCKET or /run/onefix/onefix.sock)")
  var socket: String?

  @Option(
    help:
      "The device's key. (default: the service's credential \(KeyPlace.credential); else made once beside the state on a simulated board, or /etc/onefix/device.key)"
  )
  var key: String?

  @Option(
    help: "Where the log of disclosures is anchored, outside of the state. (default: beside the device's key)")
  var anchor: String?

  @Flag(help: "Anchor the log as it is, after its anchor was lost for a reason that you know.")
  var renewAnchor = false

  @Flag(
    help: "While no daemon runs: say whether the log is as it was written, and end. Exit status then: 0 good, 3 not.")
  var verifyLog = false

  @Flag(help: "Let the simulated button be pressed although the receiver is real. The log marks such disclosures.")
  var allowSimulatedPress = false

  @Flag(inversion: .prefixedNo, help: "Draw the simulated board in the terminal.")
  var panel = true

  @Option(
    help:
      "What is logged: trace, debug, info, notice, warning, error, critical; by subsystem as in receiver=debug,notice. (default: [log] in the configuration, else notice)",
    transform: { text in
      do { return try LogLevels(text) } catch { throw ValidationError("\(error)") }
    })
  var logLevel: LogLevels?

  /// Exit status: 0 told to stop, 2 configuration, 3 machine, 64 usage.
  func run() throws {
    // What the daemon makes is its user's alone, unless it says otherwise.
    umask(0o077)
    // A client or terminal that went away is an error of one write, not the end of the daemon.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that may not grow any more: the store says that it is full.
    signal(SIGXFSZ, SIG_IGN)
    let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"]
    let log = LogOutput(program: "onefixd", levels: logLevel ?? LogLevels(), journalStream: stream)
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

  /// Runs the daemon on other threads, while this one waits for signals.
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

  /// Says why the daemon does not go on.
  private static func status(of error: any Error) -> ExitCode {
    switch error {
    case let status as ExitCode: return status
    case let error as ConfigurationError:
      say("\(error)")
      return ExitCode(2)
    case let refusal as MachineRefusal:
      for finding in refusal.findings { say("\(finding)") }
      return ExitCode(3)
    default:
      say("onefixd: \(error)")
      return ExitCode(3)
    }
  }
}

/// To people, apart from the output.
func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
