/// An event that a buzzer signals to the user.
package enum SoundSignal: String, Hashable, Sendable, CaseIterable {
  /// The gateway waits for the user's answer to a question.
  case question
  /// An app got a fix after the user pressed the button.
  case served
  /// The user pressed the button or answered a question, but no app got a fix.
  case refused
  /// The user pressed the button, but no app had requested a location.
  case nothingWaiting = "nothing-waiting"
  case locked
  case unlocked
}

extension SoundSignal {
  /// The default sequence of tones for the event. A lit phase of the pattern is a tone, and a dark phase is a pause.
  ///
  /// The sounds `question`, `locked` and `nothingWaiting` have the same rhythm as the LED for the event. The other
  /// sounds have other counts and durations of tones.
  package var standardPattern: IndicatorPattern {
    switch self {
    case .question: IndicatorPattern([120, 120, 120], 1)
    case .served: IndicatorPattern([400], 1)
    case .refused: IndicatorPattern([60, 140, 60, 140, 60], 1)
    case .nothingWaiting: IndicatorPattern([80], 1)
    case .locked: IndicatorPattern([400, 400, 400], 1)
    case .unlocked: IndicatorPattern([400, 400, 80], 1)
    }
  }
}

/// The daily period in which the buzzer is off, in local time.
package struct QuietHours: Hashable, Sendable {
  /// The first minute of the quiet hours, counted from midnight, 0...1439.
  package let start: Int
  /// The first minute after the quiet hours, counted from midnight, 0...1439. A value below `start` is on the next day.
  package let end: Int

  /// Parses a period such as `22:00-07:00`. Returns nil for any other text, and if both times are equal.
  package init?(_ text: String) {
    let times = text.split(separator: "-" as Character, omittingEmptySubsequences: false).map(Self.minute)
    guard times.count == 2, let start = times[0], let end = times[1], start != end else { return nil }
    self.start = start
    self.end = end
  }

  /// Returns whether the buzzer is off at a minute of the day.
  /// - Parameter minute: the minute of the local day, 0...1439.
  package func contains(_ minute: Int) -> Bool {
    start < end ? start <= minute && minute < end : start <= minute || minute < end
  }

  private static func minute(_ text: Substring) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
      let hour = number(bytes[0], bytes[1]), let minute = number(bytes[3], bytes[4]), hour < 24, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  private static func number(_ tens: UInt8, _ units: UInt8) -> Int? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard digits.contains(tens), digits.contains(units) else { return nil }
    return Int(tens - digits.lowerBound) * 10 + Int(units - digits.lowerBound)
  }
}

/// The configuration of the buzzer's sounds.
package struct SoundProfile: Hashable, Sendable {
  package var patterns: [SoundSignal: IndicatorPattern]
  /// The daily period without sounds; nil if the buzzer is never off.
  package var quiet: QuietHours?

  package init(patterns: [SoundSignal: IndicatorPattern] = [:], quiet: QuietHours? = nil) {
    self.patterns = patterns
    self.quiet = quiet
  }

  package func pattern(_ signal: SoundSignal) -> IndicatorPattern { patterns[signal] ?? signal.standardPattern }
}
