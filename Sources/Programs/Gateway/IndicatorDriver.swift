import Base
import Hardware

/// Drives the output of the indicator. The output shows one indication at a time. A short signal (`sign`) can replace
/// the indication until the signal ends.
struct IndicatorDriver {
  let profile: IndicatorProfile
  /// The reason why the settings of `profile` are not visible enough; nil if they are visible enough.
  private let unfitness: LegibilityRestriction?
  private let output: any IndicatorOutput
  /// The present indication. A short signal can cover it.
  private(set) var shown: Indication = .off
  private var shownSince: MonotonicInstant
  private var sign: (indication: Indication, since: MonotonicInstant, until: MonotonicInstant)?
  /// The level to which the output was last driven; nil if the output has to be driven again.
  private var driven: Bool?
  private var drivenSince: MonotonicInstant
  /// Whether the sense input has confirmed the last change of the output. The sense input reads whether the LED is lit.
  /// Always true on a board without a sense input.
  private var hasFollowed = true
  /// The reason why the output or the sense input does not work; nil if they work.
  private var failure: LegibilityRestriction?

  /// After a change of the output, the sense input must agree with the output within `senseTime`. Until then, the
  /// gateway reads the sense input once in each `sensePeriod`.
  static let senseTime: Duration = .seconds(1)
  static let sensePeriod: Duration = .milliseconds(20)

  init(_ output: any IndicatorOutput, profile: IndicatorProfile, at now: MonotonicInstant) {
    self.output = output
    self.profile = profile
    unfitness = profile.restrictions.first
    shownSince = now
    drivenSince = now
  }

  /// Whether the output is lit at this moment.
  var isLit: Bool { driven ?? false }

  /// Returns the signal or the indication that a person sees.
  func visible(at now: MonotonicInstant) -> Indication {
    if let sign, now < sign.until { return sign.indication }
    return shown
  }

  /// Shows an indication. If the indication is new, the output is driven even if its level stays the same, because only
  /// an attempt shows whether the output works.
  mutating func show(_ indication: Indication, at now: MonotonicInstant) {
    if indication != shown {
      shown = indication
      shownSince = now
      driven = nil
    }
    refresh(at: now)
  }

  /// Shows a short signal over the indication.
  /// - Parameter length: The duration of the signal; nil for the length of its pattern, or 500 ms if the pattern has
  ///   none.
  mutating func show(sign indication: Indication, for length: Duration? = nil, at now: MonotonicInstant) {
    let length = length ?? profile.pattern(indication).length ?? .milliseconds(500)
    sign = (indication, now, now + length)
    refresh(at: now)
  }

  mutating func clearSign() { sign = nil }

  /// Drives the output to the current level of the pattern, and reads the sense input.
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

  /// Whether the sense input does not agree with the output, and `senseTime` has not passed yet.
  var isLagging: Bool { failure == nil && !hasFollowed }

  /// The time between two attempts to drive an output that has failed.
  static let retryPeriod: Duration = .seconds(1)

  /// Returns the time of the next necessary call of `refresh`, or nil if the level does not change.
  func nextChange(after now: MonotonicInstant) -> MonotonicInstant? {
    let attempt = driven == nil ? now + Self.retryPeriod : isLagging ? now + Self.sensePeriod : nil
    return [level(at: now).until, attempt].compactMap(\.self).min()
  }

  /// Returns whether the pattern is lit, and the end of this level; nil for a level without an end.
  private func level(at now: MonotonicInstant) -> (isLit: Bool, until: MonotonicInstant?) {
    if let sign, now < sign.until {
      let (isLit, until) = profile.pattern(sign.indication).output(at: now - sign.since)
      return (isLit, min(until.map { sign.since + $0 } ?? sign.until, sign.until))
    }
    let (isLit, until) = profile.pattern(shown).output(at: now - shownSince)
    return (isLit, until.map { shownSince + $0 })
  }

  /// The reason why a person cannot see that the location is in use; nil if the person can see it.
  var restriction: LegibilityRestriction? { failure ?? unfitness }

  /// Returns whether the indicator shows that the location is in use. For this result, the output must work. On a board
  /// with a sense input, the sense input must also have agreed with the output.
  func isOn(at now: MonotonicInstant) -> Bool {
    guard failure == nil, hasFollowed else { return false }
    switch visible(at: now) {
    case .inUse, .background: return true
    case .off, .acquiring, .prompt, .locked, .nothingWaiting, .notSaved: return false
    }
  }
}
