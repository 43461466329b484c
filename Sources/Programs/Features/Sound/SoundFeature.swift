import Configuration
import Hardware

/// The section `[sound]` of onefix.toml, which configures a buzzer beside the push button.
struct SoundFeature: ConfiguredFeature {
  enum Wiring: Hashable {
    /// A buzzer with its own oscillator, which sounds while the GPIO line is active.
    case line(LineSpec)
    /// A buzzer without an oscillator, at a channel of a PWM chip. The chip generates a square wave with the frequency
    /// in hertz.
    case pwm(chip: String, channel: Int, frequency: Int)
  }

  static let table = "sound"
  static let isOfBoards = true

  let wiring: Wiring
  let profile: SoundProfile
  let location: ConfigurationLocation

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    guard let table = root.table(Self.table) else { return nil }
    defer { table.finish() }
    let line = LineSpec(readingFrom: table, isInput: false)
    let pwm = Self.pwm(in: table)
    let quiet = table.parsed("quiet", rule: "two times, as in \"22:00-07:00\"") { QuietHours($0) }
    profile = SoundProfile(patterns: table.table("patterns").map(Self.patterns) ?? [:], quiet: quiet?.value)
    if table.lines["line"] != nil, pwm != nil { table.reject("pwm", "excludes 'line': the buzzer has one output") }
    switch (line, pwm) {
    case (let line?, _):
      wiring = .line(line)
      location = ConfigurationLocation(file: root.diagnostics.file, line: table.lines["line"])
    case (nil, let pwm?):
      wiring = .pwm(chip: pwm.chip.value, channel: pwm.channel, frequency: pwm.frequency)
      location = table.location(of: pwm.chip)
    case (nil, nil):
      let isWired = table.lines["line"] != nil || table.lines["pwm"] != nil
      if !isWired { table.reject("needs 'line' or 'pwm'") }
      return nil
    }
  }

  private static func pwm(in table: TOMLTable) -> (chip: Located<String>, channel: Int, frequency: Int)? {
    let chip = table.parsed("pwm", rule: "the name of a chip in /sys/class/pwm, or of its device") { name in
      name.isEmpty || name.hasPrefix(".") || name.contains("/") ? nil : name
    }
    let channel = table.integer("channel", in: 0...255)
    let frequency = table.integer("frequency_hz", in: 100...20_000)
    if table.lines["pwm"] == nil {
      if channel != nil { table.reject("channel", "has no effect without 'pwm'") }
      if frequency != nil { table.reject("frequency_hz", "has no effect without 'pwm'") }
    }
    return chip.map { ($0, Int(channel?.value ?? 0), Int(frequency?.value ?? 2_300)) }
  }

  /// Reads the patterns of the buzzer from the table. The key is the signal, for example a question to the user. A
  /// signal with an empty pattern makes no sound.
  private static func patterns(in table: TOMLTable) -> [SoundSignal: IndicatorPattern] {
    defer { table.finish() }
    var patterns: [SoundSignal: IndicatorPattern] = [:]
    for signal in SoundSignal.allCases {
      patterns[signal] = table.pattern(signal.rawValue, phases: 0...16, milliseconds: 1...2_000, repetitions: 1)
    }
    return patterns
  }
}
