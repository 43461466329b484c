/// A state of the gateway that its LED (the indicator) shows to the user.
package enum Indication: String, Hashable, Sendable, CaseIterable {
  case off
  /// The gateway waits for a fix for an app to which the user has given permission.
  case acquiring
  /// The gateway sends a location to an app, or has just sent one.
  case inUse = "in-use"
  /// An app uses the location, although the app is not visible to the user.
  case background
  /// A question on the screen waits for the user's answer.
  case prompt
  /// The kill switch was switched on or off. (While the kill switch is on, no app gets a location.)
  case locked
  /// The user pressed the button, but no app had asked for a location.
  case nothingWaiting = "nothing-waiting"
  /// A change of an app's authorization or of the kill switch is in force, but the gateway cannot save the change.
  case notSaved = "not-saved"
}

/// The blinking of an LED: lit and dark phases alternate, and the first phase is lit.
package struct IndicatorPattern: Hashable, Sendable {
  /// The durations of the phases: lit, dark, lit, dark, … Each duration is greater than zero. If the array is empty,
  /// the LED is always dark.
  package let phases: [Duration]
  /// How many times the LED shows all phases, before the LED stays dark; nil if the LED repeats the phases without end.
  package let repetitions: Int?

  package init?(phases: [Duration], repetitions: Int? = nil) {
    guard phases.allSatisfy({ $0 > .zero }), (repetitions ?? 1) > 0 else { return nil }
    self.phases = phases
    self.repetitions = repetitions
  }

  /// Creates a pattern from phases in milliseconds, without a check.
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

  /// The total duration of the pattern; nil if the pattern repeats without end.
  package var length: Duration? {
    if phases.isEmpty { return .zero }
    return repetitions.map { period * $0 }
  }

  private var period: Duration { phases.reduce(.zero, +) }

  /// Returns whether the LED is lit at the time `elapsed`, and the time `until` of its next change. `until` is nil if
  /// the LED does not change again. Both times count from the start of the pattern.
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

  /// The count of lit phases per second; nil if the LED does not blink. In an endless pattern, a last lit phase and the
  /// first phase of the next repetition count as one.
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
