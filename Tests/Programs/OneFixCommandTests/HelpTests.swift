import ArgumentParser
import LineProtocol
import Testing

@testable import onefix

/// A command and all its subcommands.
private func commands(under command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
  [command] + command.configuration.subcommands.flatMap { commands(under: $0) }
}

/// The help of a command with each option in one line.
private func help(_ command: any ParsableCommand.Type) -> [Substring] {
  command.helpMessage(includeHidden: false, columns: 10_000).split(separator: "\n")
}

@Test func `the help states each default once`() {
  let commands = commands(under: OneFixCommand.self)
  #expect(commands.count > 30)
  for line in commands.flatMap({ help($0) }) {
    #expect(line.split(separator: "(default:", omittingEmptySubsequences: false).count <= 2, "\(line)")
  }
}

@Test func `the help of use states that the command gives no fix`() throws {
  let command = try #require(ownerCommands.first { $0.configuration.commandName == "use" })
  #expect(help(command).contains { $0.contains("The command itself gives no fix") })
}

@Test func `the shell has every command of the table, in the same order`() {
  let names = ownerCommands.flatMap { command in
    let verb = command.configuration.commandName ?? ""
    let actions = command.configuration.subcommands.map { "\(verb) \($0.configuration.commandName ?? "")" }
    return actions.isEmpty ? [verb] : actions
  }
  #expect(names == VerbRow.table.map(\.name))
}

@Test func `the help has the commands in groups, each command once`() {
  let groups = OneFixCommand.configuration.groupedSubcommands
  #expect(groups.map(\.name) == ["Ask", "Decide", "Look", "Repair", "Decode"])
  #expect(OneFixCommand.configuration.ungroupedSubcommands.isEmpty)
  let names = groups.flatMap { $0.subcommands.map { $0._commandName } }
  #expect(Set(names).count == names.count && Set(names).isSuperset(of: VerbRow.verbs))
}

@Test(arguments: [
  (
    "stauts",
    "cannot run 'onefix stauts': there is no such command (did you mean onefix status? onefix --help lists all)"
  ),
  ("xyzzy", "cannot run 'onefix xyzzy': there is no such command (onefix --help lists all)"),
  (
    "key ad ferry",
    "cannot run 'onefix key ad': there is no such command (did you mean onefix key add? onefix key --help lists all)"
  ),
  ("status", nil), ("allow ferry always", nil), ("--help", nil), ("help allow", nil), ("", nil), ("key", nil),
])
func `a misspelled command has a suggestion`(line: String, error: String?) {
  #expect(OneFixCommand.errorOfUnknownCommand(in: line.split(separator: " ").map(String.init)) == error)
}
