import ArgumentParser
import LineProtocol
import OneFixClient
import OwnerClients
import OwnerScreens

struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console", abstract: "Administer the gateway in this terminal, as on its serial console.",
    discussion: """
      help lists the verbs, Tab completes them; quit, Ctrl-D or five minutes without input end the session. \
      Questions and notifications appear immediately.

      Exit status: 0 ended, 7 no daemon, 64 no terminal.
      """)

  @OptionGroup var socket: SocketOptions

  @OptionGroup var language: LanguageOption

  func run() async throws {
    // If no gateway replies, the command fails before it changes the terminal.
    let gateway = try await socket.asOwner { $0.greeting["id"] ?? "" }
    guard let terminal = TerminalConsolePort() else {
      printError(
        "onefix: cannot open the console: no terminal (in scripts, use the commands that onefix --help lists)"
      )
      throw ExitCode(64)
    }
    Interruption.watch()
    let session = ConsoleSession.Settings(
      language: language.spoken, columns: terminal.columns, gateway: gateway, greetsAtOnce: true)
    let settings = OwnerConsole.Settings(session: session, gateway: socket.apps.owners, endsWithSession: true)
    await OwnerConsole(settings, port: terminal).run()
    terminal.restore()
    if let signal = Interruption.signal { throw ExitCode(128 + signal) }
  }
}
