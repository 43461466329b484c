import Base
import Hardware

/// Drives the output of the indicator LED. The LED shows one indication (a pattern) at a time, or a short signal
/// (`sign`) in its place.
struct IndicatorDriver {
  let profile: IndicatorProfile
  /// The reason why a person cannot see the LED well enough with the settings of `profile`; nil if the settings are
  /// good.
  private let unfitness: LegibilityProblem?
  private let output: any IndicatorOutput
  /// The present indication (LED pattern), even if a short signal replaces it on the LED.
  private(set) var shown: Indication = .off
  private var shownSince: MonotonicInstant
  private var sign: (indication: Indication, since: MonotonicInstant, until: MonotonicInstant)?
  /// The level to which the LED output was last set, true for lit; nil if the output must be set again.
  private var driven: Bool?
  private var drivenSince: MonotonicInstant
  /// Whether the sense input, which reads the LED, has agreed with the last level of the LED output. Always true on a
  /// board without a sense input.
  private var hasFollowed = true
  /// The reason why the LED output, or the sense input that reads the LED, has failed; nil if both work.
  private var failure: LegibilityProblem?

  /// The time within which the sense input, which reads the LED, must agree with a new level of the LED output. Until
  /// then, the gateway reads the sense input once in each `sensePeriod`.
  static let senseTime: Duration = .seconds(1)
  static let sensePeriod: Duration = .milliseconds(20)

  init(_ output: any IndicatorOutput, profile: IndicatorProfile, at now: MonotonicInstant) {
    self.output = output
    self.profile = profile
    unfitness = profile.restrictions.first
    shownSince = now
    drivenSince = now
  }

  /// Whether the LED output is lit at this instant.
  var isLit: Bool { driven ?? false }

  /// Returns the short signal or the indication (LED pattern) that the LED shows at an instant.
  func visible(at now: MonotonicInstant) -> Indication {
    if let sign, now < sign.until { return sign.indication }
    return shown
  }

  /// Shows an indication (an LED pattern). A new indication writes to the LED output even if the level stays the same,
  /// because only a write shows whether the output works.
  mutating func show(_ indication: Indication, at now: MonotonicInstant) {
    if indication != shown {
      shown = indication
      shownSince = now
      driven = nil
    }
    refresh(at: now)
  }

  /// Shows a short signal on the LED in place of the present indication.
  /// - Parameter length: The duration of the signal. Nil means the length of its pattern, or 500 ms for a pattern
  ///   without an end.
  mutating func show(sign indication: Indication, for length: Duration? = nil, at now: MonotonicInstant) {
    let length = length ?? profile.pattern(indication).length ?? .milliseconds(500)
    sign = (indication, now, now + length)
    refresh(at: now)
  }

  mutating func clearSign() { sign = nil }

  /// Sets the LED output to the present level of the pattern, and reads the sense input, which shows whether the LED is
  /// lit.
  mutating func refresh(at now: MonotonicInstant) {
    if let sign, sign.until <= now { self.sign = nil }
    let level = level(at: now).isLit
    do {
      if level != driven {
        try output.drive(level)
        driven = level
        drivenSince = now
        hasFollowed = false
      }
      if try output.sense() ?? level == level {
        hasFollowed = true
        // Even a broken LED is dark while the output is off. Only a lit LED proves that the LED works.
        if failure != .indicatorDark || level { failure = nil }
      } else if now - drivenSince >= Self.senseTime {
        failure = .indicatorDark
      }
    } catch {
      driven = nil
      failure = .indicatorMissing
    }
  }

  /// Whether the sense input, which reads the LED, does not agree with the LED output yet, although `senseTime` is not
  /// over.
  var isLagging: Bool { failure == nil && !hasFollowed }

  /// The time between two attempts to set an LED output that has failed.
  static let retryPeriod: Duration = .seconds(1)

  /// Returns the instant at which `refresh(at:)` must be called next; nil if the LED does not change.
  func nextChange(after now: MonotonicInstant) -> MonotonicInstant? {
    let attempt = driven == nil ? now + Self.retryPeriod : isLagging ? now + Self.sensePeriod : nil
    return [level(at: now).until, attempt].compactMap(\.self).min()
  }

  /// Returns whether the LED pattern is lit at an instant, and when this level ends; nil for a level without an end.
  private func level(at now: MonotonicInstant) -> (isLit: Bool, until: MonotonicInstant?) {
    if let sign, now < sign.until {
      let (isLit, until) = profile.pattern(sign.indication).output(at: now - sign.since)
      return (isLit, min(until.map { sign.since + $0 } ?? sign.until, sign.until))
    }
    let (isLit, until) = profile.pattern(shown).output(at: now - shownSince)
    return (isLit, until.map { shownSince + $0 })
  }

  /// The reason why a person cannot see on the LED that the location is in use; nil if a person can see it.
  var restriction: LegibilityProblem? { failure ?? unfitness }

  /// Returns whether the indicator LED shows that the location is in use. The LED output must work, and a sense input
  /// that reads the LED must have agreed with the last level.
  func isOn(at now: MonotonicInstant) -> Bool {
    guard failure == nil, hasFollowed else { return false }
    switch visible(at: now) {
    case .inUse, .background: return true
    case .off, .acquiring, .prompt, .locked, .nothingWaiting, .notSaved: return false
    }
  }
}
