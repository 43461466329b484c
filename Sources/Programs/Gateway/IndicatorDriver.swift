import Base
import Hardware

/// Drives the output of the indicator LED. The LED shows one indication (a pattern) at a time, or a short signal
/// (`sign`) in its place.
struct IndicatorDriver {
  let profile: IndicatorProfile
  /// The problem in the settings of `profile` that makes the LED hard to see; nil if there is none.
  let unfitness: LegibilityProblem?
  private let output: any IndicatorOutput
  /// The chosen indication (LED pattern). A short signal can replace the indication on the LED for a moment.
  private(set) var shown: Indication = .off
  private var shownSince: MonotonicInstant
  private var sign: (indication: Indication, since: MonotonicInstant, until: MonotonicInstant)?
  /// The level that was last written to the LED output, true for lit; nil if the level must be written again.
  private var driven: Bool?
  /// The level that the sense input (which measures the LED) must show, true for lit, and the instant at which this
  /// level was written. A level that the sense input did not show in its phase stays awaited in the next phases.
  private var awaited: (isLit: Bool, since: MonotonicInstant)
  /// Whether the sense input has shown the awaited level. Always true on a board without a sense input.
  private var hasFollowed = true
  /// The problem of the LED output, or of the sense input that measures the LED; nil if both work.
  private var failure: LegibilityProblem?

  /// The time within which the sense input, which measures the LED, must agree with a new level of the LED output.
  /// Until then, the gateway reads the sense input once in each `sensePeriod`.
  static let senseTime: Duration = .seconds(1)
  static let sensePeriod: Duration = .milliseconds(20)

  init(_ output: any IndicatorOutput, profile: IndicatorProfile, at now: MonotonicInstant) {
    self.output = output
    self.profile = profile
    unfitness = profile.restrictions.first
    shownSince = now
    awaited = (false, now)
  }

  /// Whether the LED output is set to lit.
  var isLit: Bool { driven ?? false }

  /// Returns the short signal that the LED shows at an instant, or the indication (LED pattern) if there is no signal.
  func visible(at now: MonotonicInstant) -> Indication {
    if let sign, now < sign.until { return sign.indication }
    return shown
  }

  /// Shows an indication (an LED pattern). Each new indication writes to the LED output, even without a change of the
  /// level, because only a write detects a broken output.
  mutating func show(_ indication: Indication, at now: MonotonicInstant) {
    if indication != shown {
      shown = indication
      shownSince = now
      driven = nil
    }
    refresh(at: now)
  }

  /// Shows a short signal on the LED instead of the present indication (the LED pattern).
  /// - Parameter length: The duration of the signal; nil for the duration of its pattern, or 500 ms for an endless
  ///   pattern.
  mutating func show(sign indication: Indication, for length: Duration? = nil, at now: MonotonicInstant) {
    let length = length ?? profile.pattern(indication).length ?? .milliseconds(500)
    sign = (indication, now, now + length)
    refresh(at: now)
  }

  /// Ends the short signal. The level is then written again, because a signal can be too short for the sense input.
  mutating func clearSign() {
    guard sign != nil else { return }
    sign = nil
    driven = nil
  }

  /// Writes the present level of the pattern to the LED output, and reads the sense input, which measures the LED.
  mutating func refresh(at now: MonotonicInstant) {
    if let sign, sign.until <= now { clearSign() }
    let level = level(at: now).isLit
    do {
      if level != driven {
        // If the gateway was busy, the sense input can have shown the former level since the latest reading.
        if driven != nil, !hasFollowed { try compareSense(at: now) }
        try output.drive(level)
        if driven == nil || hasFollowed { (awaited, hasFollowed) = ((level, now), false) }
        driven = level
      }
      try compareSense(at: now)
    } catch {
      driven = nil
      failure = .indicatorMissing
    }
  }

  /// Compares the sense input, which measures the LED, with the level of the LED output.
  private mutating func compareSense(at now: MonotonicInstant) throws {
    guard let driven else { return }
    // Even a broken LED is dark while the output is off. Only a lit LED proves that the LED works.
    if try output.sense() ?? driven == driven, driven || !awaited.isLit {
      hasFollowed = true
      if failure != .indicatorDark || driven { failure = nil }
    } else if now - awaited.since >= Self.senseTime {
      failure = .indicatorDark
    }
  }

  /// Whether the gateway still waits until the sense input, which measures the LED, agrees with the LED output.
  var isLagging: Bool { failure == nil && !hasFollowed }

  /// The time between two attempts to write to an LED output that has failed.
  static let retryPeriod: Duration = .seconds(1)

  /// Returns the instant at which `refresh(at:)` must be called next; nil if the LED does not change.
  func nextChange(after now: MonotonicInstant) -> MonotonicInstant? {
    let attempt = driven == nil ? now + Self.retryPeriod : isLagging ? now + Self.sensePeriod : nil
    return [level(at: now).until, attempt].compactMap(\.self).min()
  }

  /// Returns whether the LED pattern is lit at an instant, and the end of this level; nil for a level without an end.
  private func level(at now: MonotonicInstant) -> (isLit: Bool, until: MonotonicInstant?) {
    if let sign, now < sign.until {
      let (isLit, until) = profile.pattern(sign.indication).output(at: now - sign.since)
      return (isLit, min(until.map { sign.since + $0 } ?? sign.until, sign.until))
    }
    let (isLit, until) = profile.pattern(shown).output(at: now - shownSince)
    return (isLit, until.map { shownSince + $0 })
  }

  /// The problem that prevents a person from seeing the indicator LED; nil if there is none.
  var restriction: LegibilityProblem? { failure ?? unfitness }

  /// Returns whether the indicator LED shows that the location is in use. The result is false after a failure of the
  /// LED output, and until the sense input (which measures the LED) confirms the last level.
  func isOn(at now: MonotonicInstant) -> Bool {
    guard failure == nil, hasFollowed else { return false }
    switch visible(at: now) {
    case .inUse, .background: return true
    case .off, .acquiring, .prompt, .locked, .nothingWaiting, .notSaved: return false
    }
  }
}
