/// A state of the gateway that its indicator (status LED) shows to the user.
package enum Indication: String, Hashable, Sendable, CaseIterable {
  case off
  /// The user has permitted a fix for an app, and the gateway waits for the fix.
  case acquiring
  /// The gateway sends a location to an app, or has just sent one.
  case inUse = "in-use"
  /// An app uses the location, although the app is not in the foreground.
  case background
  /// The gateway waits for the user's answer to a question on the screen.
  case prompt
  /// The kill switch was switched on or off. The kill switch stops location for all apps.
  case locked
  /// The user pressed the button, but no app had requested a location.
  case nothingWaiting = "nothing-waiting"
  /// The gateway cannot save a change of an app's authorization or of the kill switch (which stops location for all
  /// apps). The change nevertheless applies.
  case notSaved = "not-saved"
}

/// A pattern of lit and dark phases of an LED. The first phase is lit.
package struct IndicatorPattern: Hashable, Sendable {
  /// The durations of the phases: lit, dark, lit, dark, … Each duration is greater than zero. If the array is empty,
  /// the LED is always dark.
  package let phases: [Duration]
  /// The count of times that the LED shows all phases, before the LED stays dark; nil if the LED repeats the phases
  /// without end.
  package let repetitions: Int?

  package init?(phases: [Duration], repetitions: Int? = nil) {
    guard phases.allSatisfy({ $0 > .zero }), (repetitions ?? 1) > 0 else { return nil }
    self.phases = phases
    self.repetitions = repetitions
  }

  /// Creates a pattern from phases in milliseconds. The caller must pass only valid values, because the function does
  /// not check the values.
  init(_ phases: [Int], _ repetitions: Int? = nil) {
    self.phases = phases.map { .milliseconds($0) }
    self.repetitions = repetitions
  }

  package static let steady = IndicatorPattern([1000])
  package static let dark = IndicatorPattern([])

  package static func standard(_ indication: Indication) -> IndicatorPattern {
    switch indication {
    case .off: .dark
    case .acquiring: IndicatorPattern([250, 250])
    case .inUse: .steady
    case .background: IndicatorPattern([200, 1800])
    case .prompt: IndicatorPattern([120, 120, 120, 640])
    case .locked: IndicatorPattern([400, 400], 2)
    case .nothingWaiting: IndicatorPattern([80, 120], 1)
    case .notSaved: IndicatorPattern([60, 140, 60, 140, 60, 1540])
    }
  }

  /// The duration of the pattern with its repetitions; nil if the pattern repeats without end.
  package var length: Duration? {
    if phases.isEmpty { return .zero }
    return repetitions.map { period * $0 }
  }

  private var period: Duration { phases.reduce(.zero, +) }

  /// Returns whether the LED is lit at a time, and the time `until` of the next change. `until` is nil if the LED does
  /// not change again. Both times count from the start of the pattern.
  package func output(at elapsed: Duration) -> (isLit: Bool, until: Duration?) {
    guard !phases.isEmpty else { return (false, nil) }
    guard elapsed >= .zero else { return (false, .zero) }
    if let length, elapsed >= length { return (false, nil) }
    var end = elapsed - .init(attoseconds: elapsed.attoseconds % period.attoseconds)
    var index = 0
    while end + phases[index] <= elapsed {
      end += phases[index]
      index += 1
    }
    let isLit = index.isMultiple(of: 2)
    // With an odd number of phases, the last phase and the first phase of the next repetition are both lit. So the next
    // change may be in the next repetition.
    for next in index...2 * phases.count {
      if let length, end >= length { return (isLit, isLit ? length : nil) }
      if (next % phases.count).isMultiple(of: 2) != isLit { return (isLit, end) }
      end += phases[next % phases.count]
    }
    return (isLit, length)
  }

  /// The count of lit phases per second; nil if the LED does not blink. If the last phase of an endless pattern is lit,
  /// the last and the first phase count as one.
  package var blinksPerSecond: Double? {
    guard phases.count > 1 else { return nil }
    let lit = repetitions == nil ? phases.count / 2 : (phases.count + 1) / 2
    let seconds = period / .seconds(1)
    return Double(lit) / seconds
  }

  /// The duty cycle: the fraction of the time in which the LED is lit, 0...1.
  package var duty: Double {
    guard !phases.isEmpty else { return 0 }
    let lit = stride(from: 0, to: phases.count, by: 2).reduce(Duration.zero) { $0 + phases[$1] }
    return lit / period
  }
}
