import Clocks
import Hardware

/// Drives the output of the indicator. The output shows one indication at a time. A short signal (`sign`) can replace
/// the indication until the signal ends.
struct IndicatorDriver {
  let profile: IndicatorProfile
  /// The reason why an indicator with the settings of `profile` is not visible enough; nil if it is visible enough.
  private let unfitness: LegibilityRestriction?
  private let output: any IndicatorOutput
  private(set) var shown: Indication = .off
  private var shownSince: MonotonicInstant
  /// The short signal that replaces the indication, with the times at which the signal starts and ends; nil if no short
  /// signal is active.
  private var sign: (indication: Indication, since: MonotonicInstant, until: MonotonicInstant)?
  /// The level to which the output was last driven; nil if the output has to be driven again.
  private var driven: Bool?
  private var drivenSince: MonotonicInstant
  /// Whether the LED has followed the output. The sense input reads whether the LED is lit. When the output is driven,
  /// the value becomes false. When the sense input agrees with the output, the value becomes true. If the board has no
  /// sense input, the value is always true.
  private var hasFollowed = true
  /// The failure of the last attempt to drive the output; nil if the attempt succeeded.
  private var failure: LegibilityRestriction?

  /// The sense input reads whether the LED is lit. After a change of the output, the sense input must agree with the
  /// output within `senseTime`. Until the sense input agrees, the gateway reads it once in each `sensePeriod`.
  static let senseTime: Duration = .seconds(1)
  static let sensePeriod: Duration = .milliseconds(20)

  init(_ output: any IndicatorOutput, profile: IndicatorProfile, at now: MonotonicInstant) {
    self.output = output
    self.profile = profile
    unfitness = profile.restrictions.first
    shownSince = now
    drivenSince = now
  }

  /// Whether the output was last driven to the lit level.
  var isLit: Bool { driven ?? false }

  /// The indication that a person sees now.
  func visible(at now: MonotonicInstant) -> Indication {
    if let sign, now < sign.until { return sign.indication }
    return shown
  }

  /// Shows an indication. If the indication has not changed, its pattern continues. If the indication has changed, the
  /// output is driven even if the level stays the same: an attempt to drive the output is necessary to find out whether
  /// it works.
  mutating func show(_ indication: Indication, at now: MonotonicInstant) {
    if indication != shown {
      shown = indication
      shownSince = now
      driven = nil
    }
    refresh(at: now)
  }

  /// Shows a short signal in place of the indication.
  mutating func show(sign indication: Indication, for length: Duration? = nil, at now: MonotonicInstant) {
    let length = length ?? profile.pattern(indication).length ?? .milliseconds(500)
    sign = (indication, now, now + length)
    refresh(at: now)
  }

  /// Ends the short signal.
  mutating func clearSign() { sign = nil }

  /// Drives the output to the level that the pattern has now, and reads the sense input.
  mutating func refresh(at now: MonotonicInstant) {
    if let sign, sign.until <= now { self.sign = nil }
    let light = light(at: now).isLit
    do {
      if light != driven {
        try output.drive(light)
        driven = light
        drivenSince = now
        hasFollowed = false
      }
      if try output.sense() ?? light == light {
        hasFollowed = true
        // While the output is off, even a broken LED is dark, as expected. The LED is proved to work only if the sense
        // input reads that the LED is lit.
        if failure != .indicatorDark || light { failure = nil }
      } else if now - drivenSince >= Self.senseTime {
        failure = .indicatorDark
      }
    } catch {
      driven = nil
      failure = .indicatorMissing
    }
  }

  /// Whether the sense input has not followed the output yet, but still has time to do so.
  var isLagging: Bool { failure == nil && !hasFollowed }

  /// The time between two attempts to drive an output that has failed.
  static let retryPeriod: Duration = .seconds(1)

  /// Returns the time at which `refresh` must be called next, or nil if the level does not change.
  func nextChange(after now: MonotonicInstant) -> MonotonicInstant? {
    let change = light(at: now).until
    if driven == nil { return min(change ?? now + Self.retryPeriod, now + Self.retryPeriod) }
    guard isLagging else { return change }
    return min(change ?? now + Self.sensePeriod, now + Self.sensePeriod)
  }

  private func light(at now: MonotonicInstant) -> (isLit: Bool, until: MonotonicInstant?) {
    if let sign, now < sign.until {
      let (isLit, until) = profile.pattern(sign.indication).light(at: now - sign.since)
      return (isLit, min(until.map { sign.since + $0 } ?? sign.until, sign.until))
    }
    let (isLit, until) = profile.pattern(shown).light(at: now - shownSince)
    return (isLit, until.map { shownSince + $0 })
  }

  /// The reason why a person cannot see that the location is in use; nil if the person can see it.
  var restriction: LegibilityRestriction? {
    failure ?? unfitness
  }

  /// Returns whether the indicator shows that the location is in use. The output must have been driven without an
  /// error. If the board has a sense input, the sense input must have agreed with the output.
  func isOn(at now: MonotonicInstant) -> Bool {
    guard failure == nil, hasFollowed else { return false }
    switch visible(at: now) {
    case .inUse, .background: return true
    case .off, .acquiring, .prompt, .locked, .nothingWaiting: return false
    }
  }
}
