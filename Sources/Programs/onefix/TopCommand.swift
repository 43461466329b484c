import ArgumentParser
import Glibc
import OneFixClient
import OperatingSystem
import OwnerScreens

struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top", abstract: "Watch the gateway in this terminal: light, satellites, apps, sessions and the log.",
    discussion: """
      ? lists the keys: they answer questions, change the authorization of apps, and lock. It also works over a serial \
      line of 9600 baud. It shows no position.

      Exit status: 0 ended, 7 no daemon, 64 no terminal.
      """)

  @OptionGroup var socket: SocketOptions

  @OptionGroup var language: LanguageOption

  func run() async throws {
    // If no gateway replies, the command fails before it changes the terminal.
    try await socket.asOwner { _ in }
    guard isatty(STDOUT_FILENO) == 1, let terminal = RawTerminal() else {
      printError("onefix: cannot start top: no terminal (in scripts, use the commands status, apps and log)")
      throw ExitCode(64)
    }
    Interruption.watch()
    TerminalSignals.watch()
    let session = TopSession(language: language.spoken, kind: TerminalKind(environment: environmentVariable))
    await TopProgram(terminal: terminal, owners: socket.apps.owners, session: session).run()
    if let signal = Interruption.signal { throw ExitCode(128 + signal) }
  }
}
