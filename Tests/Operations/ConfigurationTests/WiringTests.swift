import Base
import Hardware
import Testing

@testable import Configuration

@Test func `wiring keys belong to the tables of their parts`() throws {
  let found = try board(
    """
    name = "test" | receiver = "simulated"
    [[button]] | name = "main" | line = "GPIO17" | active_low = true | bias = "pull-up"
    [[button]] | name = "second" | chip = "pinctrl-bcm2711" | line = 27
    [indicator] | chip = "pinctrl-bcm2711" | line = 22 | sense = { line = "GPIO23", bias = "disabled" }
    """)
  #expect(
    found.wiring
      == Wiring(
        buttons: [
          "main": LineSpec(.name("GPIO17"), isActiveLow: true, bias: .pullUp),
          "second": LineSpec(chip: "pinctrl-bcm2711", .offset(27)),
        ],
        indicator: .line(LineSpec(chip: "pinctrl-bcm2711", .offset(22))),
        sense: LineSpec(.name("GPIO23"), bias: .disabled)))
  try found.checkWiring()
}

@Test func `an indicator is one LED of the kernel, three of them, or three lines`() throws {
  func wiring(_ indicator: String) throws -> IndicatorWiring? {
    try board(minimal + "\n[indicator]\n" + indicator).wiring.indicator
  }
  #expect(try wiring("led = \"ACT\"") == .leds(["ACT"]))
  #expect(try wiring("led = [\"r\", \"g\", \"b\"]") == .leds(["r", "g", "b"]))
  #expect(
    try wiring("red.line = \"R\"\ngreen.line = \"G\"\nblue = { line = \"B\", active_low = true }")
      == .rgbLines(
        red: LineSpec(.name("R")), green: LineSpec(.name("G")), blue: LineSpec(.name("B"), isActiveLow: true)))
}

private let invalid = """
  chip = "gpiochip4" | line = 17 → 5: 'chip' in [[button]] is 'gpiochip4', but chip numbers can change with the kernel \
    (use the label, which gpiodetect shows in brackets)
  chip = "/dev/gpiochip0" | line = 17 → 5: 'chip' in [[button]] is '/dev/gpiochip0', but chip numbers can change with \
    the kernel (use the label, which gpiodetect shows in brackets)
  line = 17 → 5: 'line' in [[button]] is an offset on a chip, so 'chip' is required (use the label, which gpiodetect \
    shows in brackets)
  line = true → 5: 'line' in [[button]] must be a line's name or its offset, not true or false
  line = "" → 5: 'line' in [[button]] is '', but must have 1...31 bytes
  chip = "pins" | line = 65536 → 6: 'line' in [[button]] is 65536, but must be 0...65535
  active_low = true → 5: 'active_low' in [[button]] has no effect without 'line'
  line = "A" | bias = "pullup" → 6: 'bias' in [[button]] is 'pullup', but must be 'as-is', 'disabled', 'pull-up' or \
    'pull-down' (did you mean 'pull-up'?)
  [[reserved]] | line = "L" | use = "x" | bus = "i2c-1" \
    → 8: 'bus' in [[reserved]] is 'i2c-1', but must be a path that begins with /
  [[reserved]] | line = "L" | use = "x" | bus = "/dev/\\u001f" \
    → 8: 'bus' in [[reserved]] must not contain control characters, tabs or line ends
  [indicator] | led = ["a", "b"] → 6: 'led' in [indicator] has 2 names, but must be one LED, or red, green and blue
  [indicator] | led = ["a", "b", "a"] \
    → 6: 'led' in [indicator] names one LED twice, but must be three LEDs for red, green and blue
  [indicator] | led = "../x" → 6: 'led' in [indicator] has '../x', but must be a name in /sys/class/leds
  [indicator] | red.line = "R" → 6: [indicator] needs all or none of 'red', 'green' and 'blue'
  [indicator] | line = "L" | led = "x" → 5: [indicator] has more than one of 'line', 'led' and 'red', 'green', 'blue'
  [indicator] | bias = "pull-up" → 6: unknown key 'bias' in [indicator]
  [indicator] | sense = {} → 6: [indicator.sense] needs 'line'
  """

@Test(arguments: cases(invalid, file: "board.toml"))
func `an invalid line is reported with its line number`(text: String, errors: [String]) {
  let found = boardFaults(minimal + "\n" + text)
  #expect(found.contains { $0.hasPrefix(errors[0]) }, "\(found)")
}

@Test func `an invalid line is the only error, also beside other keys of the line`() {
  for line in ["65536", "''", "true"] {
    let found = boardFaults(minimal + " | chip = 'pins' | active_low = true | bias = 'pull-up' | line = \(line)")
    #expect(found.count == 1 && found.allSatisfy { $0.contains("'line' in [[button]]") }, "\(found)")
  }
  #expect(boardFaults(minimal + " | chip = 'gpiochipx' | line = 17") == [], "a label, and no number of a chip")
}

@Test func `the owner can set the wiring, and a real board must have it`() throws {
  let bare = try board(minimal + "\n[indicator]")
  let error = try #require(throws: ConfigurationError.self) { try bare.checkWiring() }
  #expect("\(error)".contains("button 'main' has no 'line'") && "\(error)".contains("[indicator] has no 'line'"))
  let own = try configuration(
    "[[button]] | name = 'main' | line = 'A' | [indicator] | led = 'b' | sense = { line = 'C' }")
  let wired = try own.applied(to: bare)
  try wired.checkWiring()
  #expect(
    wired.wiring
      == Wiring(
        buttons: ["main": LineSpec(.name("A"))], indicator: .leds(["b"]), sense: LineSpec(.name("C"))))
}

@Test func `a label can have a text for each language, and every text must fit`() throws {
  let text =
    #" | label = { en = "Share", de = "Standort teilen", ja = "共有" } | label_height_mm = 4 | label_width_mm = 30"#
  let button = try #require(try board(minimal + text).buttons.first)
  #expect(button.label == "Share" && button.translations == [.german: "Standort teilen", .japanese: "共有"])
  #expect(button.restrictions == [.labelTruncated], "the German one has 15 letters of 3.5 mm")
  #expect(try #require(try board(minimal + text.replacing("30", with: "60")).buttons.first).restrictions == [])
  for (label, fault) in [
    (#"{ dee = "x" }"#, "unknown key 'dee' in [button.label] (did you mean 'de'?)"),
    (#"{ dee = "x" }"#, "[button.label] needs 'en'"),
    (#""""#, "'label' in [[button]] is empty (omit the key if the button has no label)"),
    (#""  ""#, "'label' in [[button]] is empty (omit the key if the button has no label)"),
    (#"{ en = "Share", de = "" }"#, "'de' in [button.label] is empty (omit the key if the button has no label)"),
  ] {
    let found = boardFaults(minimal + "\nlabel = \(label)")
    #expect(found.contains { $0.contains(fault) }, "\(label) \(found)")
  }
}
