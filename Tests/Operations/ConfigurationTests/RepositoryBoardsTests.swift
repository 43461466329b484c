import Hardware
import Repository
import Testing

@testable import Configuration

private let folder = "\(Repository.root)/Boards"
private let search = BoardSearch(folders: [folder])
private let names = [
  "adafruit-gps-hat", "beaglebone-black", "generic", "orange-pi-zero-3", "radxa-rock-5b", "raspberry-pi-3",
  "raspberry-pi-4", "raspberry-pi-5", "raspberry-pi-zero-2w", "simulated", "uputronics-gps-hat",
]

private func text(of name: String) throws -> String {
  String(decoding: try #require(try ConfigurationFile.read("\(folder)/\(name)/board.toml")), as: UTF8.self)
}

/// The lines of a board's button, sense input, receiver's power, and indicator.
private func partLines(of board: Board) -> [LineSpec] {
  var lines = [board.wiring.buttons["main"], board.wiring.sense, board.receiverOptions.power].compactMap(\.self)
  if case .line(let line) = board.wiring.indicator { lines.append(line) }
  return lines
}

@Test func `the repository has the documented boards`() throws {
  #expect(search.names == names)
  let board = try search.board("simulated")
  #expect(board.isSimulated && board.receiver == .simulated() && board.indicator == IndicatorProfile())
  #expect(board.buttons.map(\.label) == ["Share location"])
}

@Test(arguments: names)
func `each board is valid, legible and documented, and has lines that it does not reserve`(name: String) throws {
  let board = try search.board(name)
  #expect(board.indicator?.restrictions == [] && board.buttons.flatMap(\.restrictions) == [])
  #expect(try text(of: name).contains("\ndescription = \""))
  let readme = try #require(try ConfigurationFile.read("\(folder)/\(name)/README.md"))
  #expect(name == "simulated" || String(decoding: readme, as: UTF8.self).contains("--board \(name)"))
  if name == "generic" {
    #expect(throws: ConfigurationError.self, "the owner must set the lines") { try board.checkWiring() }
    #expect(board.buttons.map(\.name) == ["main"] && board.indicator != nil)
  } else {
    try board.checkWiring()
  }
  #expect(!partLines(of: board).contains { line in board.reservedLines.contains { $0.isSame(line) } })
  #expect(try !text(of: name).contains("gpiochip"), "chip numbers can change")
}

@Test(arguments: [
  ("adafruit-gps-hat", ["GPIO14", "GPIO15", "GPIO4", "GPIO2", "GPIO3"]),
  ("raspberry-pi-3", ["GPIO14", "GPIO15", "GPIO2", "GPIO3"]),
  ("uputronics-gps-hat", ["GPIO14", "GPIO15", "GPIO2", "GPIO3", "GPIO18"]), ("raspberry-pi-5", ["GPIO2", "GPIO3"]),
])
func `a board names the lines of its receiver`(name: String, lines: [String]) throws {
  #expect(try search.board(name).reservedLines.map(\.line.position.description) == lines)
}

@Test(arguments: [
  ("line = \"GPIO4\"", "use"), ("use = \"pulse\"", "line"), ("line = 4\nuse = \"pulse\"", "chip"),
  ("line = \"GPIO4\"\nuse = \"pulse\"\nuser = 1", "user"),
])
func `a reserved line needs a line and its use`(keys: String, word: String) throws {
  let found = boardFaults(try text(of: "raspberry-pi-5") + "\n[[reserved]]\n" + keys + "\n", name: "raspberry-pi-5")
  #expect(found.count == 1 && found.first?.contains(word) == true, "\(found)")
}

/// Prepared lines in comments must be valid when an owner uncomments them.
@Test(arguments: names.filter { !["generic", "simulated"].contains($0) })
func `commented settings of a board are valid`(name: String) throws {
  let lines = try text(of: name).split(separator: "\n", omittingEmptySubsequences: false)
  let start = try #require(lines.firstIndex(of: "# [indicator.sense]"))
  // Their headings stay comments.
  let ready = lines[start...].filter { !$0.hasSuffix(":") }.map { $0.dropFirst(2) }
  let whole = (lines[..<start] + ready).joined(separator: "\n")
  #expect(boardFaults(whole, name: name) == [])
  let board = try Board(parsing: Array(whole.utf8), file: "board.toml", name: name)
  #expect(Set(partLines(of: board).map(\.description)).count == 4)
}
