import Configuration
import Hardware
import TemporaryFiles
import Testing

@testable import Features

@Suite struct SoundFeatureTests {
  @Test(arguments: [
    (#"line = "GPIO18""#, SoundFeature.Wiring.line(LineSpec(.name("GPIO18")))),
    (
      #"chip = "pinctrl-rp1" | line = 18 | active_low = true"#,
      .line(LineSpec(chip: "pinctrl-rp1", .offset(18), isActiveLow: true))
    ),
    (#"pwm = "pwmchip0""#, .pwm(chip: "pwmchip0", channel: 0, frequency: 2_300)),
    (#"pwm = "c.pwm" | channel = 1 | frequency_hz = 4000"#, .pwm(chip: "c.pwm", channel: 1, frequency: 4_000)),
  ])
  func `a table has a line or a channel of a PWM chip`(keys: String, wiring: SoundFeature.Wiring) throws {
    let feature: SoundFeature = try #require(try read("[sound]\n\(keys)"))
    #expect(feature.wiring == wiring && feature.profile == SoundProfile())
    #expect(feature.buzzer != nil)
  }

  @Test func `a table can have quiet hours and patterns, and its buzzer sounds at its channel with its frequency`()
    throws
  {
    let chips = try TemporaryDirectory()
    for file in ["period", "duty_cycle", "enable"] { try chips.write("0\n", to: "pwmchip0/pwm1/\(file)") }
    let feature: SoundFeature = try #require(
      try read(
        #"[sound] | pwm = "pwmchip0" | channel = 1 | frequency_hz = 4000 | quiet = "22:00-07:00" | [sound.patterns]"#
          + " | served = [] | locked = [500, 100, 50]"))
    #expect(feature.profile.quiet == QuietHours("22:00-07:00"))
    #expect(feature.profile.pattern(.served).phases.isEmpty)
    #expect(
      feature.profile.pattern(.locked)
        == IndicatorPattern(phases: [.milliseconds(500), .milliseconds(100), .milliseconds(50)], repetitions: 1))
    #expect(feature.profile.pattern(.question) == SoundSignal.question.standardPattern)
    try feature.output(chips: chips.path).set(isOn: true)
    #expect(chips.read("pwmchip0/pwm1/period") == Array("250000".utf8))
    #expect(chips.read("pwmchip0/pwm1/enable") == Array("1\n".utf8))
  }

  private static let invalid = """
    → 1: [sound] needs 'line' or 'pwm'
    line = "GPIO18" | quiet = "22-7" → 3: 'quiet' in [sound] is '22-7', but must be two times, as in "22:00-07:00"
    line = "GPIO18" | pwm = "pwmchip0" → 3: 'pwm' in [sound] excludes 'line': the buzzer has one output
    line = "GPIO18" | frequency_hz = 2000 → 3: 'frequency_hz' in [sound] has no effect without 'pwm'
    pwm = "../x" → 2: 'pwm' in [sound] is '../x', but must be the name of a chip in /sys/class/pwm, or of its device
    line = "GPIO18" | [sound.patterns] | served = [2001] \
      → 4: 'served' in [sound.patterns] has a phase of 2001 ms, but must be 1...2000
    """

  @Test(arguments: cases(invalid))
  func `an invalid table is refused with its line`(table: String, errors: [String]) {
    let found = faults("[sound]\n" + table)
    #expect(found.prefix(errors.count) == errors[...])
  }

  @Test func `a board can have the table, and the table of the owner replaces it`() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Array((boardText + "\n[sound]\nline = \"GPIO5\"\n").utf8), to: "test/board.toml")
    let choice = BoardChoice(name: "test")
    var search = BoardSearch(folders: [directory.path])
    #expect(throws: ConfigurationError.self) { try search.board(choice) }
    search.tables = [SoundFeature.table]
    let board = try search.board(choice)
    for (text, line) in [("", "GPIO5"), ("[sound]\nline = \"GPIO6\"\n", "GPIO6")] {
      var configuration = try FeatureTests.configuration(text)
      try configuration.addFeatures(of: board, [SoundFeature.self])
      let feature: SoundFeature? = configuration.feature()
      #expect(feature?.wiring == .line(LineSpec(.name(line))))
      #expect(feature?.location.file == (text.isEmpty ? board.file : "onefix.toml"))
    }
  }

  // MARK: The machine

  private func findings(_ keys: String, change: (inout Machine) -> Void = { _ in }) throws -> [Finding] {
    let subject = try FeatureTests.subject(of: "[sound]\n\(keys)\n", [SoundFeature.self])
    let machine = machine(change)
    return (subject.configurationFindings + subject.findings(on: machine)).filter {
      $0.location.file == "onefix.toml"
    }
  }

  @Test func `a line that the board already uses is an error, under each of its names`() throws {
    let subject = try FeatureTests.subject()
    for use in subject.lineUses {
      let chip = use.line.chip.map { "chip = \"\($0)\"\n" } ?? ""
      let position = if case .offset(let offset) = use.line.position { "\(offset)" } else { "\"\(use.line.position)\"" }
      let found = try findings("\(chip)line = \(position)")
      #expect(found.contains { $0.code == "line-twice" && $0.message.contains("the buzzer") })
    }
  }

  /// The bus of the display, and the number of findings in the configuration and in all.
  @Test(arguments: [("", 0, 0), ("/dev/i2c-1", 1, 1), ("/dev/i2c-arm", 0, 1), ("/dev/i2c-3", 0, 0)])
  func `a line of an I2C bus is refused while something uses the bus, under every name of the bus, and once`(
    bus: String, configured: Int, count: Int
  ) throws {
    let board = boardText + "\n[[reserved]]\nchip = \"pins\"\nline = 0\nuse = \"SDA\"\nbus = \"/dev/i2c-1\"\n"
    let display = bus.isEmpty ? "" : "[display]\nbus = \"\(bus)\"\n"
    let subject = try FeatureTests.subject(
      of: display + "[sound]\nchip = \"pins\"\nline = 0\n", [DisplayFeature.self, SoundFeature.self], on: board,
      receiver: "uart:/dev/ttyAMA0")
    let machine = machine { $0.files["/dev/i2c-arm"] = DeviceFile(path: "/dev/i2c-1", mode: 0o660) }
    let found = subject.configurationFindings + subject.findings(on: machine)
    #expect(subject.configurationFindings.count { $0.code == "line-twice" } == configured)
    #expect(found.count { $0.message.hasSuffix("the line of SDA") } == count, "\(brief(found))")
  }

  @Test(
    arguments: [
      ("pwm = \"pwmchip9\"", 0, "sound-pwm", "pwmchip0 (fe20c000.pwm)"),
      ("pwm = \"pwmchip0\"\nchannel = 2", 0, "sound-pwm", "2 channels"),
      ("pwm = \"pwmchip0\"", 0, "sound-denied", "SUBSYSTEM==\"pwm\""),
      // A chip of the daemon's user, and a machine without PWM.
      ("pwm = \"fe20c000.pwm\"\nchannel = 1", 990, nil, ""), ("pwm = \"pwmchip0\"", nil, "sound-pwm", "dtoverlay"),
    ] as [(String, UInt32?, String?, String)])
  func `a PWM chip that cannot be used is a warning with a remedy`(
    keys: String, owner: UInt32?, code: String?, remedy: String
  ) throws {
    let found = try findings(keys) { machine in
      guard let owner else { return }
      let export = DeviceFile(path: "/sys/class/pwm/pwmchip0/export", kind: .other, owner: owner, mode: 0o200)
      machine.pwmChips = [.init(name: "pwmchip0", device: "fe20c000.pwm", channels: 2, export: export)]
    }
    #expect(brief(found) == (code.map { ["warning \($0) onefix.toml:2"] } ?? []))
    #expect(found.allSatisfy { $0.remedy?.contains(remedy) == true })
  }
}
