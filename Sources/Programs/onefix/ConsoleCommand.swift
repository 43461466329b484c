import ArgumentParser
import Console
import ConsoleService
import Languages
import LineProtocol
import OneFixClient

/// The owner's console in this terminal.
struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console", abstract: "Look after the gateway in this terminal, as on its serial console.",
    discussion: """
      help lists the verbs, Tab completes them; quit, Ctrl-D or five minutes without a key end it. Prompts and \
      notifications are shown as they come.

      Exit status: 0 ended, 7 no daemon, 64 no terminal.
      """)

  @OptionGroup var socket: SocketOptions

  @Option(help: "en, de, ja, vi or zh-Hans. (default: as LC_ALL, LC_MESSAGES or LANG says)")
  var language: Language?

  func run() async throws {
    // Before the terminal is changed: where there is no gateway, there is no console.
    let client = try await socket.connectAsOwner()
    let gateway = client.greeting["id"] ?? ""
    await client.close()
    guard let terminal = TerminalConsolePort() else {
      say("onefix: console needs a terminal (for scripts there are the same verbs: onefix --help)")
      throw ExitCode(64)
    }
    Interruption.watch()
    let session = ConsoleSession.Settings(
      language: language ?? .ofEnvironment, columns: terminal.columns, gateway: gateway, greetsAtOnce: true)
    let settings = OwnerConsole.Settings(session: session, gateway: socket.apps.owners, endsWithSession: true)
    await OwnerConsole(settings, port: terminal).run()
    terminal.restore()
    if let signal = Interruption.signal { throw ExitCode(128 + signal) }
  }
}
