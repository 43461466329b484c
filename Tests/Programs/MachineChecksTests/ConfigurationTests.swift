import Configuration
import Hardware
import Testing

@testable import Features

@Test func `a legible board has only notes`() throws {
  #expect(try subject().configurationFindings == [])
  let unsensed = try subject(boardText.split(separator: "\n").dropLast().joined(separator: "\n"))
  #expect(brief(unsensed.configurationFindings) == ["note indicator-unsensed board.toml:8"])
}

@Test(arguments: [
  ("brightness = 0.1", "", "indicator-too-dim"), ("once_ms = 100", "", "indicator-too-short"),
  ("patterns.acquiring = [10, 10]", "", "indicator-too-fast"),
  ("colour = \"#202021\"", "", "indicator-low-contrast"),
  ("colour = \"#009dff\"", "[indicator]\npanel_colour = \"#009dfe\"", "indicator-low-contrast"),
  ("colour = \"#009dff\"", "[indicator]\nonce_ms = 10", "indicator-too-short"),
])
func `an invisible indicator is an error at the key that repairs it, in the board's file or in the owner's`(
  key: String, owner: String, code: String
) throws {
  let found = try subject(boardText + "\n\(key)", owner: owner).configurationFindings
  #expect(brief(found) == ["error \(code) \(owner.isEmpty ? "board.toml:12" : "onefix.toml:2")"])
  #expect(found.allSatisfy { $0.fault.isConfiguration })
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
  let text = "name = \"test\"\nreceiver = \"simulated\"\n[[button]]\nname = \"main\""
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
    let findings = try subject(text, owner: "[[button]]\nname = \"main\"\n\(keys)").configurationFindings
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
  let subject = try subject(
    owner: "[indicator]\nonce_ms = 10\nled = \"lamp\"\n[[button]]\nname = \"main\"\nline = \"KNOB\"")
  let parts: [(ConfigurationKey, String)] = [
    (.button("main"), "onefix.toml:6"), (.button("main", key: "active_low"), "board.toml:7"),
    (.indicator(), "onefix.toml:3"), (.indicator(key: "brightness"), "onefix.toml:1"), (.receiver, "board.toml:2"),
  ]
  for (part, location) in parts { #expect("\(subject.board.location(of: part))" == location, "\(part)") }
  #expect(brief(subject.configurationFindings) == ["error indicator-too-short onefix.toml:2"])
}

/// A button with labels in two languages that fit.
private let labelled = boardText.replacing(
  "name = \"main\"",
  with: "name = \"main\"\nlabel_height_mm = 3.5\nlabel_width_mm = 50\nlabel.en = \"Share location\"\n"
    + "label.de = \"Standort teilen\"")

private func labelFindings(_ owner: String) throws -> [Finding] {
  try subject(labelled, owner: "[[button]]\nname = \"main\"\n\(owner)").configurationFindings
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

@Test func `a label that is too long is reported with its language, its width and the excess`() throws {
  let message =
    "no press will be granted: button 'main': its label for 'de', 'Standort teilen', is 1.5 mm too long (it needs "
    + "46.5 mm and has 45.0 mm)"
  let board = try subject(labelled.replacing("label_width_mm = 50", with: "label_width_mm = 45")).configurationFindings
  #expect(brief(board) == ["error label-truncated board.toml:8"] && board.first?.message == message)
  #expect(try labelFindings("label_width_mm = 45").map(\.message) == [message])
  #expect(
    try labelFindings("label = \"Please share my location\"")[0].message.contains(
      "its label for all languages, 'Please share my location', is 24.4 mm too long"))
}

@Test(arguments: ["x", "Share", "Standort teilen", "共有"], [3.5, 4, 4.2])
func `a label fits into the width that a finding says the label needs`(text: String, height: Double) throws {
  func findings(width: some StringProtocol) throws -> [Finding] {
    try labelFindings("label = \"\(text)\"\nlabel_height_mm = \(height)\nlabel_width_mm = \(width)")
  }
  let message = try #require(try findings(width: "1").first?.message)
  let needed = try #require(message.split(separator: "(it needs ").last?.split(separator: " mm").first)
  #expect(try findings(width: needed) == [])
}

@Test func `a finding is one line in the format of a compiler, without control characters`() {
  let location = ConfigurationLocation(file: "a.toml", line: 3)
  let fault = Fault("receiver-busy", "open in {holder}", remedy: "stop {holder}")
  let error = Finding(fault, at: location, ["holder": "a\u{1B}[2J\nb{holder}"])
  #expect(
    "\(error)"
      == #"a.toml:3: error: open in a\u{1b}[2J\u{a}b{holder} (stop a\u{1b}[2J\u{a}b{holder}) [receiver-busy]"#)
  let note = Finding(Fault("line-held", .note, "held"), at: ConfigurationLocation(file: "a.toml"))
  #expect("\(note)" == "a.toml: note: held [line-held]")
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
  ("receiver = \"uart:/dev/ttyS1\"", "onefix.toml:1", "/dev/ttyS1"),
  ("[receiver]\nrate = 5\nsource = \"uart:/dev/ttyS1\"", "onefix.toml:3", "/dev/ttyS1"),
  ("[receiver]\nrate = 5", "board.toml:2", "/dev/serial0"),
])
func `a receiver of the owner is reported at the line of its source`(owner: String, location: String, port: String)
  throws
{
  let found = try subject(owner: owner).findings(on: machine { $0.files["/dev/serial0"] = nil })
  #expect(brief(found) == ["error receiver-absent \(location)"])
  #expect(found.first?.description.contains(port) == true)
}
