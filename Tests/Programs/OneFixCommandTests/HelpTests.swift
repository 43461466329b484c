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
