import ArgumentParser
import Base
import Glibc
import LineProtocol
import OneFixClient
import OperatingSystem
import OwnerClients
import OwnerScreens

/// The options that all commands for owners (administrators) have.
struct OwnerOptions: ParsableArguments {
  @OptionGroup var socket: SocketOptions

  @Flag(help: "Print one JSON object in each line, the same in every language.")
  var json = false

  @OptionGroup var language: LanguageOption

  var spoken: Language { language.spoken }

  func write(_ report: OwnerReport) throws { try printLines(json ? report.json : report.lines) }
}

struct LanguageOption: ParsableArguments {
  @Option(help: "en, de, ja, vi or zh-Hans. (default: the language of LC_ALL, LC_MESSAGES or LANG)")
  var language: Language?

  /// The language of the output: from the option, otherwise from the environment variables.
  var spoken: Language { language ?? Language(environment: environmentVariable) }
}

extension Language: ExpressibleByArgument {}

protocol VerbCommand: AsyncParsableCommand {
  var options: OwnerOptions { get }
  /// The words of the command, as in `["key", "add", "boat"]`.
  var words: [String] { get }
  /// The syntax of the command in a shell, without options for every command.
  static var usage: String { get }
}

extension VerbCommand {
  func run() async throws { try await perform() }

  func perform() async throws {
    let verb: OwnerVerb
    do throws(VerbError) {
      verb = try OwnerVerb(words: words)
    } catch {
      printError("onefix: \(Self.text(of: error, in: options.spoken))")
      throw ExitCode.validationFailure
    }
    try await options.socket.asOwner { client in
      do {
        try options.write(
          await verb.perform(
            on: OwnerConnection(client: client), language: options.spoken, columns: Screen.columns,
            hasColours: Screen.hasColours))
      } catch let failure as OwnerFailure {
        printError("onefix: \(failure.text(in: options.spoken))")
        throw ExitCode(ExitStatus.status(of: .refused(failure.error)))
      }
    }
  }
}

extension VerbCommand {
  /// Returns the error message about wrong words of this command. The message has the syntax in a shell, because a
  /// command can have another syntax on the console.
  static func text(of error: VerbError, in language: Language) -> String {
    let usage = VerbErrorPhrase.usage.text(in: language, [.text: Self.usage])
    return VerbError(nil, error.fault).text(in: language) + (language.setsSpaces ? " " : "") + usage
  }
}

enum Screen {
  /// Whether the output has colours. Standard output must be a terminal with colours, and the environment variable
  /// `NO_COLOR` must not be set.
  static var hasColours: Bool { isTerminal && TerminalKind(environment: environmentVariable).hasColours }

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The width of the terminal in columns. If standard output is not a terminal, the width is 4096, so that no text
  /// line is broken.
  static var columns: Int {
    guard isTerminal else { return 4096 }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
