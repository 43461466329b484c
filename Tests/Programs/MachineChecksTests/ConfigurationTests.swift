import Configuration
import Hardware
import Testing

@testable import Features

@Test func `a legible board has only notes`() throws {
  #expect(try subject().configurationFindings == [])
  let unsensed = try subject(boardText.split(separator: "\n").dropLast().joined(separator: "\n"))
  #expect(brief(unsensed.configurationFindings) == ["note indicator-unsensed board.toml:8"])
}

/// A key that makes the indicator or the label illegible, and the finding at its line.
private let faults: [(String, String)] = [
  ("brightness = 0.1", "indicator-too-dim"), ("once_ms = 100", "indicator-too-short"),
  ("patterns.acquiring = [10, 10]", "indicator-too-fast"), ("colour = \"#202021\"", "indicator-low-contrast"),
]

@Test(arguments: faults)
func `an invisible indicator is an error at the key that repairs it`(key: String, code: String) throws {
  let subject = try subject(boardText + "\n\(key)")
  #expect(brief(subject.configurationFindings) == ["error \(code) board.toml:12"])
}

@Test(arguments: [
  ("label_height_mm = 1\nlabel = \"Go\"", ["error label-too-small board.toml:5"]),
  ("label_height_mm = 4\nlabel = \"Share location\"\nlabel_width_mm = 3", ["error label-truncated board.toml:6"]),
])
func `an illegible label is an error at its key`(keys: String, found: [String]) throws {
  let text = boardText.replacing("name = \"main\"", with: "name = \"main\"\n\(keys)")
  #expect(brief(try subject(text).configurationFindings) == found)
}

@Test func `a board without an indicator is an error, simulated or not`() throws {
  let text = """
    name = "test"
    receiver = "simulated"
    [[button]]
    name = "main"
    """
  #expect(brief(try subject(text).configurationFindings) == ["error indicator-missing board.toml"])
}

@Test func `two uses of one line are an error at the second`() throws {
  let text = boardText.replacing("line = \"SENSE\"", with: "line = \"BUTTON\"")
  let found = try subject(text).configurationFindings
  #expect(brief(found) == ["error line-twice board.toml:11"])
  #expect(found[0].message == "the sense input and button 'main' are on one line, pins:BUTTON")
}

@Test(arguments: [
  ("line = \"KNOB\"", []), ("line = \"PULSE\"", ["error line-twice onefix.toml:3"]),
  ("chip = \"pins\"\nline = \"PULSE\"", ["error line-twice onefix.toml:4"]),
])
func `a button on a line of the receiver is an error`(keys: String, found: [String]) throws {
  for chip in ["", "chip = \"pins\"\n"] {
    let text = boardText + "\n[[reserved]]\n\(chip)line = \"PULSE\"\nuse = \"the receiver's time pulse\"\n"
    let owner = try GatewayConfiguration(
      parsing: Array("[[button]]\nname = \"main\"\n\(keys)".utf8), file: "onefix.toml")
    let findings = Subject(board: try owner.applied(to: try board(text))).configurationFindings
    #expect(brief(findings) == found)
    #expect(findings.allSatisfy { $0.message.hasSuffix("PULSE, the line of the receiver's time pulse") })
  }
}

@Test(
  arguments: [
    // The chip `pins` has the lines "", BUTTON, SENSE and LED.
    ("chip = \"pins\"\nline = 3", ["error line-twice board.toml:6"]),
    ("line = \"LED\"", []), ("chip = \"pins\"\nline = 1", []), ("chip = \"pinctrl-rp1\"\nline = 3", []),
  ] as [(String, [String])])
func `a line of the receiver is found under its offset, too`(keys: String, found: [String]) throws {
  let text =
    boardText.replacing("line = 3\n", with: "line = 0\n")
    .replacing("chip = \"pins\"\nline = \"BUTTON\"", with: keys)
    + "\n[[reserved]]\nline = \"LED\"\nuse = \"the receiver's time pulse\"\n"
  let two = machine { $0.chips.append(chip("pinctrl-rp1", path: "/dev/gpiochip1", ["A", "B", "C", "D"])) }
  #expect(brief(try subject(text).findings(on: two).filter { $0.code == "line-twice" }) == found)
}

@Test func `a setting of the owner is reported in the owner's file`() throws {
  let configuration = try GatewayConfiguration(
    parsing: Array(
      """
      [indicator]
      once_ms = 10
      led = "lamp"
      [[button]]
      name = "main"
      line = "KNOB"
      """.utf8), file: "onefix.toml")
  let board = try configuration.applied(to: try board())
  #expect(board.location(of: .button("main")) == ConfigurationLocation(file: "onefix.toml", line: 6))
  #expect(board.location(of: .button("main", key: "active_low")) == ConfigurationLocation(file: "board.toml", line: 7))
  #expect(board.location(of: .indicator()) == ConfigurationLocation(file: "onefix.toml", line: 3))
  #expect(board.location(of: .indicator(key: "brightness")) == ConfigurationLocation(file: "onefix.toml", line: 1))
  #expect(board.location(of: .receiver) == ConfigurationLocation(file: "board.toml", line: 2))
  #expect(brief(Subject(board: board).configurationFindings) == ["error indicator-too-short onefix.toml:2"])
}

/// A button with labels in two languages that fit.
private let labelled = boardText.replacing(
  "name = \"main\"",
  with: """
    name = "main"
    label_height_mm = 3.5
    label_width_mm = 50
    label.en = "Share location"
    label.de = "Standort teilen"
    """)

private func labelFindings(_ owner: String) throws -> [Finding] {
  let owner = try GatewayConfiguration(
    parsing: Array("[[button]]\nname = \"main\"\n\(owner)".utf8), file: "onefix.toml")
  return Subject(board: try owner.applied(to: try board(labelled))).configurationFindings
}

@Test(arguments: [
  ("", []), ("label_width_mm = 45", ["3"]), ("label_height_mm = 4.2", ["3", "3"]),
  ("hold_ms = 2000\nlabel = \"Please share my location now\"", ["4"]),
  ("[button.label]\nen = \"Share\"\nde = \"Meinen Standort jetzt teilen\"", ["5"]),
])
func `a label that is too long because of the owner's file is reported there, once for each language`(
  owner: String, lines: [String]
) throws {
  #expect(brief(try labelFindings(owner)) == lines.map { "error label-truncated onefix.toml:\($0)" })
}

@Test func `a label that is too long because of the board's file is reported at the language's line`() throws {
  let found = try subject(labelled.replacing("label_width_mm = 50", with: "label_width_mm = 45")).configurationFindings
  #expect(brief(found) == ["error label-truncated board.toml:8"])
}

@Test func `a label that is too long is reported with its language, its width and the excess`() throws {
  #expect(
    try labelFindings("label_width_mm = 45").map(\.message) == [
      "no press will be granted: button 'main': its label for 'de', 'Standort teilen', is 1.5 mm too long (it needs "
        + "46.5 mm and has 45.0 mm)"
    ])
  #expect(
    try labelFindings("label = \"Please share my location\"")[0].message.contains(
      "its label for all languages, 'Please share my location', is 24.4 mm too long"))
}

@Test func `an indicator that is illegible because of the owner's settings is reported in the owner's file`() throws {
  let faults = [("panel_colour = \"#009dfe\"", "indicator-low-contrast"), ("once_ms = 10", "indicator-too-short")]
  for (key, code) in faults {
    let owner = try GatewayConfiguration(parsing: Array("[indicator]\n\(key)".utf8), file: "onefix.toml")
    let text = boardText + "\ncolour = \"#009dff\""
    let found = Subject(board: try owner.applied(to: try board(text))).configurationFindings
    #expect(brief(found) == ["error \(code) onefix.toml:2"])
  }
}

@Test func `a finding has the format of a compiler`() {
  let fault = Fault("gpio-absent", "no {chip}", remedy: "find one")
  let location = ConfigurationLocation(file: "a.toml", line: 3)
  #expect(
    Finding(fault, at: location, ["chip": "{chip}"]).description
      == "a.toml:3: error: no {chip} (find one) [gpio-absent]")
  #expect(
    Finding(Fault("line-held", .note, "held"), at: ConfigurationLocation(file: "a.toml")).description
      == "a.toml: note: held [line-held]")
}

@Test func `the daemon logs warnings at its start that no other message reports`() throws {
  let bad = machine {
    $0.serialPort.isConsole = true
    $0.serialPort.login = "agetty, pid 7,"
    $0.serialPort.holders = [Machine.Process(pid: 9, name: "gpsd")]
    $0.persistentPins = ["pins"]
    $0.chips[0].lines[1].consumer = "other"
  }
  let subject = try subject(boardText + "\nonce_ms = 100")
  #expect(
    Set(subject.warnings(on: bad).map(\.code)) == [
      "indicator-too-short", "indicator-persists", "uart-console", "uart-login",
    ])
  #expect(subject.warnings(on: nil).map(\.code) == ["indicator-too-short"])
  #expect(subject.refusals(on: bad) == [])
}

@Test(arguments: [
  ("receiver = \"uart:/dev/ttyS1\"", 1), ("[receiver]\nrate = 5\nsource = \"uart:/dev/ttyS1\"", 3),
])
func `a receiver of the owner is reported at its line`(text: String, line: Int) throws {
  let owner = try GatewayConfiguration(parsing: Array(text.utf8), file: "onefix.toml")
  let subject = Subject(board: try owner.applied(to: try board()))
  #expect(subject.receiver == .uart(path: "/dev/ttyS1"))
  #expect(brief(subject.findings(on: machine())) == ["error receiver-absent onefix.toml:\(line)"])
}

@Test func `a table without a source does not change the receiver's location`() throws {
  let owner = try GatewayConfiguration(parsing: Array("[receiver]\nrate = 5".utf8), file: "onefix.toml")
  #expect(
    try owner.applied(to: try board()).location(of: .receiver) == ConfigurationLocation(file: "board.toml", line: 2))
}
