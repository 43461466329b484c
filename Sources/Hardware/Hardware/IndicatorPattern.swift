/// What the indicator says.
package enum Indication: String, Hashable, Sendable, CaseIterable {
  case off
  /// Getting a fix for someone who was granted one.
  case acquiring
  /// A location was just given, or is being given.
  case inUse = "in-use"
  /// Location in use by an app that is out of sight.
  case background
  /// A question waits for the person's answer.
  case prompt
  /// The kill switch was thrown or released.
  case locked
  /// A press for which nothing waited.
  case nothingWaiting = "nothing-waiting"
}

/// How an indication looks: lit and dark phases in turn, beginning lit.
package struct IndicatorPattern: Hashable, Sendable {
  /// Lengths of the phases: lit, dark, lit, dark, … Each is longer than zero. Empty is dark for ever.
  package let phases: [Duration]
  /// How often the phases run; nil is for ever. After the last the light is dark.
  package let repetitions: Int?

  package init?(phases: [Duration], repetitions: Int? = nil) {
    guard phases.allSatisfy({ $0 > .zero }), (repetitions ?? 1) > 0 else { return nil }
    self.phases = phases
    self.repetitions = repetitions
  }

  private init(_ phases: [Int], _ repetitions: Int? = nil) {
    self.phases = phases.map { .milliseconds($0) }
    self.repetitions = repetitions
  }

  /// Steady light.
  package static let steady = IndicatorPattern([1000])
  package static let dark = IndicatorPattern([])

  /// The pattern that an indication has unless the board's configuration says otherwise.
  package static func standard(_ indication: Indication) -> IndicatorPattern {
    switch indication {
    case .off: .dark
    case .acquiring: IndicatorPattern([250, 250])
    case .inUse: .steady
    case .background: IndicatorPattern([200, 1800])
    case .prompt: IndicatorPattern([120, 120, 120, 640])
    case .locked: IndicatorPattern([400, 400], 2)
    case .nothingWaiting: IndicatorPattern([80, 120], 1)
    }
  }

  /// Time from the pattern's start to its end; nil for one that goes on for ever.
  package var length: Duration? {
    if phases.isEmpty { return .zero }
    return repetitions.map { period * $0 }
  }

  private var period: Duration { phases.reduce(.zero, +) }

  /// Whether the light is lit at a time since the pattern's start, and when that changes next (nil: never).
  package func light(at elapsed: Duration) -> (isLit: Bool, until: Duration?) {
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
    // An odd number of phases ends lit and begins lit again: that is no change. Two rounds hold every change there is.
    for next in index...2 * phases.count {
      if let length, end >= length { return (isLit, isLit ? length : nil) }
      if (next % phases.count).isMultiple(of: 2) != isLit { return (isLit, end) }
      end += phases[next % phases.count]
    }
    return (isLit, length)
  }

  /// Lit phases per second while the pattern runs; nil for a light that does not blink. Where the last phase is lit, it
  /// and the first of the next round are one.
  package var blinksPerSecond: Double? {
    guard phases.count > 1 else { return nil }
    let lit = repetitions == nil ? phases.count / 2 : (phases.count + 1) / 2
    return Double(lit) / (period / .seconds(1))
  }

  /// The lit share of the time, 0...1.
  package var duty: Double {
    guard !phases.isEmpty else { return 0 }
    let lit = stride(from: 0, to: phases.count, by: 2).reduce(Duration.zero) { $0 + phases[$1] }
    return lit / period
  }
}
