import Hardware
import TemporaryFiles
import Testing

@testable import Configuration

let minimal = """
  name = "test"
  receiver = "uart:/dev/ttyS0:9600"
  [[button]]
  name = "main"
  """

extension BoardSearch {
  func board(_ name: String) throws(ConfigurationError) -> Board { try board(BoardChoice(name: name)) }
}

/// Parses a board, in whose text ` | ` is the end of a line.
func board(_ text: String, name: String = "test") throws(ConfigurationError) -> Board {
  try Board(parsing: [UInt8](text.replacing(" | ", with: "\n").utf8), file: "board.toml", name: name)
}

/// The errors of a board, one line for each.
func boardFaults(_ text: String, name: String = "test") -> [String] {
  do {
    _ = try board(text, name: name)
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}

@Test func `missing keys of a board have defaults`() throws {
  let found = try board(minimal)
  #expect(!found.isSimulated && found.receiver == .uart(path: "/dev/ttyS0", baud: 9600))
  #expect(found.buttons == [ButtonProfile(name: "main")] && found.indicator == nil)
}

@Test func `every key of a board is read`() throws {
  let found = try board(
    """
    name = "test" | description = "a test" | simulated = true | receiver = "replay:a@b@2"
    [[button]] | name = "left" | label = "左" | label_height_mm = 3.5 | label_width_mm = 20
    debounce_ms = 0 | hold_ms = 1000 | double_press_ms = 600 | apps = ["ferry", "harbour"]
    [[button]] | name = "right"
    [indicator] | colour = "#FF8000" | brightness = 0.5 | panel_colour = "#000000" | once_ms = 750
    patterns.in-use = [100] | patterns.locked = [50, 60, 70]
    """)
  #expect(found.receiver == .replay(file: "a@b", speed: .times(2)))
  // The release and the second press take effect only after quiet windows.
  let slow = try board(minimal + " | debounce_ms = 200 | double_press_ms = 300")
  #expect(slow.buttons.map(\.usableDoublePress) == [.milliseconds(500)])
  #expect(found.buttons.map(\.doublePress) == [.milliseconds(600), .milliseconds(400)])
  var buttons = found.buttons
  buttons[0].doublePress = .milliseconds(400)
  #expect(
    buttons == [
      ButtonProfile(
        name: "left", label: "左", labelHeight: 3.5, labelWidth: 20,
        timing: Debouncer.Timing(quiet: .zero, hold: .seconds(1)), apps: ["ferry", "harbour"]),
      ButtonProfile(name: "right"),
    ])
  let indicator = try #require(found.indicator)
  #expect(indicator.colour == Colour(red: 255, green: 128, blue: 0) && indicator.brightness == 0.5)
  #expect(indicator.panelColour == Colour(red: 0, green: 0, blue: 0) && indicator.onceDuration == .milliseconds(750))
  #expect(indicator.pattern(.inUse) == IndicatorPattern(phases: [.milliseconds(100)]))
  #expect(
    indicator.pattern(.locked)
      == IndicatorPattern(phases: [.milliseconds(50), .milliseconds(60), .milliseconds(70)], repetitions: 2))
  #expect(indicator.pattern(.prompt) == .standard(.prompt))
}

private let invalid = """
  → board.toml: error: the file needs 'name' & board.toml: error: the file needs 'receiver' \
    & board.toml: error: the file needs 'button'
  name = "tset" | receiver = "simulated" | [[button]] | name = "main" \
    → 1: 'name' is 'tset', but the board's folder is 'test'
  name = "test" | receiver = "uart:/dev/ttyS0:1200" | [[button]] | name = "main" \
    → 2: cannot use the receiver 'uart:/dev/ttyS0:1200': unsupported baud rate 1200 \
    (rates: 4800 9600 19200 38400 57600 115200 230400 460800 921600)
  name = "test" | receiver = "simulated" | button = [] → board.toml: error: the file needs '[[button]]'
  name = "test" | descripton = "x" | receiver = "simulated" | [[button]] | name = "main" \
    → 2: unknown key 'descripton' (did you mean 'description'?)
  name = "test" | receiver = "simulated" | [[button]] | name = "main" | [indicator] | brightnes = 1.0 \
    → 6: unknown key 'brightnes' in [indicator] (did you mean 'brightness'?)
  name = "test" | [receiver] | rate = 5 | [[button]] | name = "main" → 2: [receiver] needs 'source'
  name = "test" | receiver = "simulated" | [[button]] | name = "main" | lable = "x" \
    → 5: unknown key 'lable' in [[button]] (did you mean 'label'?)
  # Only the panel may be black. | name = "test" | receiver = "simulated" | [[button]] | name = "main" | [indicator] \
    | panel_colour = "#000000" | colour = "#000000" \
    → 8: 'colour' in [indicator] is '#000000', but a black light cannot be seen
  """

@Test(arguments: cases(invalid, file: "board.toml"))
func `an invalid board key is reported with its line`(text: String, errors: [String]) {
  #expect(boardFaults(text) == errors)
}

@Test(arguments: [
  ("description = '#'\n" + minimal, 100), (minimal + "\n[[reserved]]\nline = 'L'\nuse = '#'", 60),
])
func `a description of the maximum width is accepted, and a wider one is not`(text: String, most: Int) {
  let counts = [most, most + 1].map { count in
    boardFaults(text.replacing("#", with: String(repeating: "a", count: count))).count
  }
  #expect(counts == [0, 1])
}

@Test func `the first folder with a board provides it`() throws {
  let directory = try TemporaryDirectory()
  try directory.write(minimal + "\nlabel = \"two\"", to: "two/test/board.toml")
  try directory.write(minimal + "\nlabel = \"three\"", to: "three/test/board.toml")
  try directory.write(minimal, to: "three/.hidden/board.toml")
  try directory.write(minimal, to: "three/other/board.toml")
  try directory.write("not a board", to: "three/empty/README.md")
  let longest = String(repeating: "a", count: 64)
  for name in [longest, longest + "a"] { try directory.write(minimal, to: "three/\(name)/board.toml") }
  let search = BoardSearch(folders: [directory.path("one"), directory.path("two"), directory.path("three")])
  #expect(try search.board("test").buttons.first?.label == "two")
  #expect(search.names == [longest, "other", "test"])
}

@Test func `an unknown board is reported with the known boards`() throws {
  let directory = try TemporaryDirectory()
  for name in ["raspberry-pi-5", "simulated"] { try directory.write(minimal, to: "Boards/\(name)/board.toml") }
  let (folder, missing) = (directory.path("Boards"), [directory.path("no"), directory.path("none")])
  func message(_ name: String, in folders: [String]? = nil, at location: ConfigurationLocation? = nil) -> String {
    let search = BoardSearch(folders: folders ?? [folder, missing[0]])
    let choice = location.map { BoardChoice(name: name, location: $0) } ?? BoardChoice(name: name)
    do { return try search.board(choice).name } catch { return error.description }
  }
  #expect(
    message("rasperry-pi-5")
      == "--board: error: unknown board 'rasperry-pi-5' (known boards: raspberry-pi-5, simulated; did you mean "
      + "'raspberry-pi-5'?; searched: \(folder))")
  #expect(
    message("../simulated")
      == "--board: error: invalid board name '../simulated' (1...64 lower-case letters, digits and '-')")
  let longest = String(repeating: "a", count: 64)
  #expect(message(longest).hasPrefix("--board: error: unknown board '"))
  #expect(message(longest + "a").hasPrefix("--board: error: invalid board name '"))
  #expect(
    message("Pi", at: ConfigurationLocation(file: "onefix.toml", line: 3))
      .hasPrefix("onefix.toml:3: error: invalid board name 'Pi'"))
  #expect(
    message("x", in: missing)
      == "--board: error: unknown board 'x' (no boards found; none of these folders exists: "
      + "\(missing.joined(separator: ", ")); --boards names another)")
}

@Test func `boards are searched in the given folder, here, near the program and in the installation folder`() {
  #expect(
    BoardSearch(explicit: "/b", executable: "/opt/x/bin/onefixd").folders == [
      "/b", "./Boards", "/opt/x/bin/Boards", "/opt/x/Boards", "/opt/Boards", "/Boards", "/usr/share/onefix/boards",
    ])
  for executable in [nil, "bin/onefixd"] {
    #expect(BoardSearch(explicit: nil, executable: executable).folders == ["./Boards", "/usr/share/onefix/boards"])
  }
}

@Test func `the owner's configuration changes only the named parts`() throws {
  let own = try configuration(
    """
    [[app]] | id = "ferry" | uid = 1
    [[button]] | name = "main" | label = "Ahoy" | hold_ms = 2000 | apps = ["ferry"]
    [indicator] | brightness = 0.3
    """)
  let before = try board(minimal + "\ndebounce_ms = 5\n[indicator]\ncolour = \"#ff0000\"")
  let after = try own.applied(to: before)
  #expect(
    after.buttons == [
      ButtonProfile(
        name: "main", label: "Ahoy",
        timing: Debouncer.Timing(quiet: .milliseconds(5), hold: .seconds(2)), apps: ["ferry"])
    ])
  #expect(after.indicator?.colour == Colour(red: 255, green: 0, blue: 0) && after.indicator?.brightness == 0.3)
  #expect(try GatewayConfiguration().applied(to: before) == before)
}

@Test func `parts that the board does not have cannot be configured`() throws {
  let own = try configuration(
    """
    [[app]] | id = "ferry" | uid = 1 | [[button]] | name = "mian" | [[button]] | name = "main" | apps = ["fery"]
    [indicator] | brightness = 0.3
    """)
  let error = try #require(throws: ConfigurationError.self) { try own.applied(to: try board(minimal)) }
  #expect(
    error.description == """
      onefix.toml:4: error: board 'test' has no button 'mian' (did you mean 'main'?)
      onefix.toml:8: error: no [[app]] has the id 'fery' (did you mean 'ferry'?)
      onefix.toml:9: error: board 'test' has no indicator to configure
      """)
}
