import ArgumentParser
import Base
import LineProtocol

// The commands for owners. `VerbRow.table` has their names, their arguments and their help. Only a command with options
// of its own has a type of its own.

/// The types of the commands with special options. The key is the name of the command in the table `VerbRow.table`.
private let commandsWithOptions: [String: any ParsableCommand.Type] = [
  "key add": AddKeyCommand.self, "log": LogCommand.self, "place add": AddPlaceCommand.self,
  "prompts": PromptsCommand.self,
]

/// The types of the owner's commands, one for each verb in the table `VerbRow.table`.
let ownerCommands: [any ParsableCommand.Type] = VerbRow.verbs.compactMap { verb in
  rows.first { $0.row.verb == verb }.map { $0.row.action == nil ? $0.command : $0.group }
}

/// A type that stands for one row of the table `VerbRow.table`. The library ArgumentParser needs a separate type for
/// each command.
protocol TableRow: Sendable {
  static var index: Int { get }
}

private enum FirstRow: TableRow {
  static var index: Int { 0 }
}

private enum RowAfter<Row: TableRow>: TableRow {
  static var index: Int { Row.index + 1 }
}

extension TableRow {
  static var row: VerbRow { VerbRow.table[index] }
  fileprivate static var next: any TableRow.Type { RowAfter<Self>.self }
  fileprivate static var command: any ParsableCommand.Type {
    commandsWithOptions[row.name] ?? TableCommand<Self>.self
  }
  fileprivate static var group: any ParsableCommand.Type { TableGroup<Self>.self }
}

private let rows = VerbRow.table.dropFirst().reduce(into: [FirstRow.self as any TableRow.Type]) { rows, _ in
  rows += rows.last.map { [$0.next] } ?? []
}

/// A command with subcommands from the table `VerbRow.table`, as in `key` with `key add`.
struct TableGroup<Row: TableRow>: ParsableCommand {
  static var configuration: CommandConfiguration {
    let verb = Row.row.verb
    let discussions = [
      "key": "For apps that connect over a network and have key = true in onefix.toml.",
      "place": "For apps with the accuracy place. They receive the name of a place, and no position.",
    ]
    return CommandConfiguration(
      commandName: verb, abstract: VerbPhrase(verb).sentence, discussion: discussions[verb] ?? "",
      subcommands: rows.filter { $0.row.verb == verb }.map { $0.command })
  }
}

/// A command whose name and arguments are in a row of the table `VerbRow.table`.
struct TableCommand<Row: TableRow>: VerbCommand {
  static var configuration: CommandConfiguration { described(by: Row.row) }

  @OptionGroup var options: OwnerOptions

  @Argument(help: argumentHelp, completion: wordsOfArguments.isEmpty ? nil : .list(wordsOfArguments))
  var arguments: [String] = []

  private static var wordsOfArguments: [String] { Row.row.arguments.flatMap(\.words) }

  private static var argumentHelp: ArgumentHelp {
    let usage = Row.row.usage.dropFirst(Row.row.name.count + 1)
    return ArgumentHelp("\(usage)", visibility: usage.isEmpty ? .hidden : .default)
  }

  var words: [String] { Row.row.name.split(separator: " ").map(String.init) + arguments }

  static var usage: String { Row.row.usage }
}

struct AddKeyCommand: VerbCommand {
  static let configuration = described(as: "key add")
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  @Flag(help: "Create a token, which the app sends over TLS only, instead of a key, which is never sent.") var token =
    false
  var words: [String] { ["key", "add", app] + (token ? ["token"] : []) }
  static let usage = "key add APP [--token]"
}

struct AddPlaceCommand: VerbCommand {
  static let configuration = described(as: "place add")
  @OptionGroup var options: OwnerOptions
  @Argument(help: "1 to 32 letters, digits, dots, dashes or underscores.") var name: String
  @Option(help: "The radius in metres, at least 100.") var radius: String
  @Option(
    parsing: .unconditional,
    help: "The centre as LATITUDE,LONGITUDE in degrees, or - to read it as a line from standard input.")
  var at: String?
  var words: [String] {
    let centre = at == "-" ? readLine() ?? "" : at
    return ["place", "add", name, radius]
      // Many maps copy a coordinate with a space after the comma.
      + (centre?.split(separator: ",", omittingEmptySubsequences: false).map { part in
        String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      } ?? [])
  }
  static let usage = "place add NAME --radius METRES [--at LATITUDE,LONGITUDE]"
}

extension VerbPhrase {
  var sentence: String {
    let text = text(in: .english)
    return text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}

extension VerbCommand {
  /// Returns the name and the help text of a command from the table `VerbRow.table`.
  static func described(as name: String) -> CommandConfiguration {
    VerbRow.table.first { $0.name == name }.map { row in
      CommandConfiguration(
        commandName: row.action ?? row.verb, abstract: row.summary ?? VerbPhrase(row.verb).sentence,
        discussion: row.about)
    } ?? CommandConfiguration(commandName: name)
  }

  fileprivate static func described(by row: VerbRow) -> CommandConfiguration {
    var configuration = described(as: row.name)
    configuration.usage = "onefix \(row.usage) [--socket <socket>] [--json] [--language <language>]"
    return configuration
  }
}
