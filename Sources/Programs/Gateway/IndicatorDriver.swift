import Clocks
import Hardware

/// Drives the indicator's output: one indication at a time, and short signs over it.
struct IndicatorDriver {
  let profile: IndicatorProfile
  /// The restriction that the profile alone causes; nil if there is none.
  private let unfitness: LegibilityRestriction?
  private let output: any IndicatorOutput
  private(set) var shown: Indication = .off
  private var shownSince: MonotonicInstant
  /// The short sign over the indication, and when it ends.
  private var sign: (indication: Indication, since: MonotonicInstant, until: MonotonicInstant)?
  /// The level to which the output was driven last; nil if it has to be driven again.
  private var driven: Bool?
  private var drivenSince: MonotonicInstant
  /// Whether the sense input, if there is one, has agreed since then.
  private var hasFollowed = true
  /// The failure of the last attempt to drive the output; nil if there was none.
  private var failure: LegibilityRestriction?

  /// How long the sense input may take to follow, and how often it is read meanwhile.
  static let senseTime: Duration = .seconds(1)
  static let sensePeriod: Duration = .milliseconds(20)

  init(_ output: any IndicatorOutput, profile: IndicatorProfile, at now: MonotonicInstant) {
    self.output = output
    self.profile = profile
    unfitness = profile.restrictions.first
    shownSince = now
    drivenSince = now
  }

  /// Whether the output was last driven lit.
  var isLit: Bool { driven ?? false }

  /// The indication that a person sees now.
  func visible(at now: MonotonicInstant) -> Indication {
    if let sign, now < sign.until { return sign.indication }
    return shown
  }

  /// Shows an indication. The pattern of the same indication continues. A new indication drives the output even if its
  /// level stays the same: only driving shows whether the output works.
  mutating func show(_ indication: Indication, at now: MonotonicInstant) {
    if indication != shown {
      shown = indication
      shownSince = now
      driven = nil
    }
    refresh(at: now)
  }

  /// Shows a short sign over the indication.
  mutating func show(sign indication: Indication, for length: Duration? = nil, at now: MonotonicInstant) {
    let length = length ?? profile.pattern(indication).length ?? .milliseconds(500)
    sign = (indication, now, now + length)
    refresh(at: now)
  }

  /// Ends the sign.
  mutating func clearSign() { sign = nil }

  /// Drives the output to its present level, and reads the sense input.
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
        // While the LED should be dark, a broken LED agrees, too: only light proves that it works.
        if failure != .indicatorDark || light { failure = nil }
      } else if now - drivenSince >= Self.senseTime {
        failure = .indicatorDark
      }
    } catch {
      driven = nil
      failure = .indicatorMissing
    }
  }

  /// Whether the sense input has not followed yet, and still has time.
  var isLagging: Bool { failure == nil && !hasFollowed }

  /// How often an output that cannot be driven is tried again.
  static let retryPeriod: Duration = .seconds(1)

  /// When to call `refresh`; nil while the level stays the same.
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

  /// Why a person cannot see that location is in use; nil if a person can.
  var restriction: LegibilityRestriction? {
    failure ?? unfitness
  }

  /// Whether the indicator shows that location is in use: the output was driven without an error, and the sense input, if
  /// there is one, has agreed.
  func isOn(at now: MonotonicInstant) -> Bool {
    guard failure == nil, hasFollowed else { return false }
    switch visible(at: now) {
    case .inUse, .background: return true
    case .off, .acquiring, .prompt, .locked, .nothingWaiting: return false
    }
  }
}
