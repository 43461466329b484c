import ArgumentParser
import Base
import LineProtocol
import OperatingSystem
import Testing

@testable import OneFixClient
@testable import onefix

/// A command and all its subcommands.
private func commands(under command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
  [command] + command.configuration.subcommands.flatMap { commands(under: $0) }
}

/// The help of a command with each option in one line.
private func help(_ command: any ParsableCommand.Type) -> [Substring] {
  command.helpMessage(includeHidden: false, columns: 10_000).split(separator: "\n")
}

@Test func `the help has the sentences about each command, and states each default once`() {
  let commands = commands(under: OneFixCommand.self)
  #expect(commands.count > 30)
  let lines = commands.flatMap { help($0) }
  for line in lines {
    #expect(line.split(separator: "(default:", omittingEmptySubsequences: false).count <= 2, "\(line)")
  }
  #expect(lines.contains { $0.contains("The command itself gives no fix") })
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
  ("stauts", "stauts': there is no such command (did you mean onefix status? onefix --help lists all)"),
  ("xyzzy", "xyzzy': there is no such command (onefix --help lists all)"),
  ("key ad ferry", "key ad': there is no such command (did you mean onefix key add? onefix key --help lists all)"),
  ("status", nil), ("allow ferry always", nil), ("--help", nil), ("help allow", nil), ("", nil), ("key", nil),
])
func `a misspelled command has a suggestion`(line: String, error: String?) {
  #expect(
    OneFixCommand.errorOfUnknownCommand(in: line.split(separator: " ").map(String.init))
      == error.map { "cannot run 'onefix " + $0 })
}

/// The exit statuses of a refusal: of a command for apps, and of a command for owners.
private func statuses(_ code: ErrorCode) -> (app: Int32, owner: Int32) {
  switch code {
  case .noPress: (3, 3)
  case .denied, .restricted: (4, 4)
  case .locked: (5, 5)
  case .noFix, .receiverAbsent, .indicator, .store, .expired: (6, 6)
  // Only an owner's command says that the state cannot be written.
  case .notSaved: (1, 6)
  case .shuttingDown: (7, 7)
  // The client of an app loses the connection with these errors.
  case .slowConsumer, .keepaliveTimeout: (7, 1)
  default: (1, 1)
  }
}

@Test(arguments: ErrorCode.allCases)
func `a refusal has the exit status of its cause`(code: ErrorCode) {
  let refusal = LineError(code, "no")
  let expected = statuses(code)
  #expect(ExitStatus.status(of: ClientError(refusal)) == expected.app)
  #expect(ExitStatus.status(of: LinkError.refused(refusal)) == expected.owner)
}

@Test(arguments: [
  (3600, "11-22 00:31:34"), (-5 * 3600, "18:31:34"), (19_800, "11-22 05:01:34"), (0, "23:31:34"),
])
func `a local time has its date only if the date differs from the date in UTC`(east: Int, text: String) throws {
  let time = try #require(UTCTime(iso8601: "2026-11-21T23:31:34.000Z"))
  #expect(LocalTime.text(of: time, secondsEast: east) == text)
}

@Test(arguments: [
  (["--radius", "300"], []), (["--radius", "300", "--at", "47.3665,8.5415"], ["47.3665", "8.5415"]),
  (["--radius", "300", "--at", " 47.3665, 8.5415 "], ["47.3665", "8.5415"]),
  (["--radius", "300", "--at", "8 5,17 5"], ["8 5", "17 5"]),
  (["--radius", "300", "--at", "-33.86,151.21"], ["-33.86", "151.21"]),
  (["--at", "-33.86,-151.21", "--radius", "300"], ["-33.86", "-151.21"]),
  (["--radius", "300", "--at=-33.86,151.21"], ["-33.86", "151.21"]),
])
func `a place can have any centre, also south of the equator`(arguments: [String], words: [String]) throws {
  #expect(try AddPlaceCommand.parse(["harbour"] + arguments).words == ["place", "add", "harbour", "300"] + words)
  #expect(try AddPlaceCommand.parse(["harbour", "--radius", "300", "--at", "-"]).at == "-", "the standard input")
}

@Test(arguments: [(0, false), (1, true), (60_000, true), (60_001, false)])
func `a press lasts from 1 to 60000 ms`(milliseconds: Int, isValid: Bool) {
  #expect(((try? PressCommand.parse(["--for", "\(milliseconds)"])) != nil) == isValid)
}

@Test(arguments: [
  ("far", "1,2", "“far” is not a valid number."), ("300", "47", "The value is missing."),
  ("300", "95,8", "“95” is not possible here: latitude -90 to 90, longitude -180 to 180."),
  ("300", "8,east", "“east” is not possible here: latitude -90 to 90, longitude -180 to 180."),
])
func `an error of a place names the syntax of the shell`(radius: String, centre: String, cause: String) throws {
  let command = try AddPlaceCommand.parse(["x", "--radius", radius, "--at", centre])
  let error = try #require(throws: VerbError.self) { try OwnerVerb(words: command.words) }
  #expect(
    AddPlaceCommand.text(of: error, in: .english)
      == "\(cause) Usage: place add NAME --radius METRES [--at LATITUDE,LONGITUDE]")
}
