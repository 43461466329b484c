import ArgumentParser
import FoundationEssentials
import Glibc
import Languages
import OneFixClient
import Console

/// The gateway in this terminal, as long as one looks at it.
struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top", abstract: "Watch the gateway in this terminal: light, sky, apps, sessions and the log.",
    discussion: """
      ? lists the keys: they answer questions, change what apps may know, and lock. It can be used over a serial line \
      of 9600 baud. Nothing of it tells where the gateway is.

      Exit status: 0 ended, 7 no daemon, 64 no terminal.
      """)

  @OptionGroup var socket: SocketOptions

  @Option(help: "en, de, ja, vi or zh-Hans. (default: as LC_ALL, LC_MESSAGES or LANG says)")
  var language: Language?

  func run() async throws {
    // Before the terminal is changed: where there is no gateway at the start, there is nothing to watch.
    await (try await socket.connectAsOwner()).close()
    guard isatty(STDOUT_FILENO) == 1, let terminal = RawTerminal() else {
      say("onefix: top needs a terminal (for scripts there are status, apps and log: onefix --help)")
      throw ExitCode(64)
    }
    Interruption.watch()
    TerminalSignals.watch()
    let environment = ProcessInfo.processInfo.environment
    let session = TopSession(language: language ?? .ofEnvironment, kind: TerminalKind { environment[$0] })
    await TopProgram(terminal: terminal, owners: socket.apps.owners, session: session).run()
    if let signal = Interruption.signal { throw ExitCode(128 + signal) }
  }
}
