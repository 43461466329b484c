/// A state of the gateway that an indicator shows to the user.
package enum Indication: String, Hashable, Sendable, CaseIterable {
  case off
  /// The gateway acquires a fix for an app to which the user has given permission.
  case acquiring
  /// The gateway discloses a location, or has just disclosed one.
  case inUse = "in-use"
  /// An app that is not visible to the user uses the location.
  case background
  /// A prompt waits for the user's answer.
  case prompt
  /// The kill switch, which stops all disclosure, was activated or released.
  case locked
  /// The user pressed the button, but no request was waiting for a press.
  case nothingWaiting = "nothing-waiting"
  /// A change of an app's authorization, or of the kill switch, is in force, but the gateway cannot save the change.
  case notSaved = "not-saved"
}

/// The sequence of phases by which an LED shows an indication. Lit and dark phases alternate, and the first phase is
/// lit.
package struct IndicatorPattern: Hashable, Sendable {
  /// The lengths of the phases: lit, dark, lit, dark, … Each length is greater than zero. Without phases, the indicator
  /// is always dark.
  package let phases: [Duration]
  /// The number of times that the LED runs through the phases; nil if the LED repeats the phases without end. After the
  /// last repetition, the indicator is dark.
  package let repetitions: Int?

  package init?(phases: [Duration], repetitions: Int? = nil) {
    guard phases.allSatisfy({ $0 > .zero }), (repetitions ?? 1) > 0 else { return nil }
    self.phases = phases
    self.repetitions = repetitions
  }

  /// Creates a pattern of known phases in milliseconds.
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

  /// The duration of all repetitions; nil if the pattern repeats without end.
  package var length: Duration? {
    if phases.isEmpty { return .zero }
    return repetitions.map { period * $0 }
  }

  private var period: Duration { phases.reduce(.zero, +) }

  /// Returns whether the indicator is lit at the time `elapsed`, and the time `until` of the next change; nil if the
  /// indicator does not change any more. Both times count from the beginning of the pattern.
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

  /// The number of lit phases per second while the pattern runs; nil if the pattern does not blink. If the pattern
  /// repeats without end and its last phase is lit, the last phase and the first phase of the next repetition count as
  /// one lit phase.
  package var blinksPerSecond: Double? {
    guard phases.count > 1 else { return nil }
    let lit = repetitions == nil ? phases.count / 2 : (phases.count + 1) / 2
    let seconds = period / .seconds(1)
    return Double(lit) / seconds
  }

  /// The fraction of the time in which the indicator is lit, 0...1.
  package var duty: Double {
    guard !phases.isEmpty else { return 0 }
    let lit = stride(from: 0, to: phases.count, by: 2).reduce(Duration.zero) { $0 + phases[$1] }
    return lit / period
  }
}
