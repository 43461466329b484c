import Clocks
import Hardware

/// Drives the indicator: one indication at a time, with short signs over it.
struct IndicatorDriver {
  let profile: IndicatorProfile
  /// What is wrong with the profile.
  private let unfitness: LegibilityRestriction?
  private let output: any IndicatorOutput
  private(set) var shown: Indication = .off
  private var shownSince: MonotonicInstant
  /// A short sign that is shown first, and when it ends.
  private var sign: (indication: Indication, since: MonotonicInstant, until: MonotonicInstant)?
  /// What the output was last driven to, and since when; nil where that must be said anew.
  private var driven: Bool?
  private var drivenSince: MonotonicInstant
  /// Whether the sense input, where there is one, has been seen to agree since.
  private var hasFollowed = true
  /// What was found wrong when it was last driven.
  private var failure: LegibilityRestriction?

  /// How long a sense input may take to follow, and how often it is asked meanwhile.
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

  /// What a person sees now.
  func visible(at now: MonotonicInstant) -> Indication {
    if let sign, now < sign.until { return sign.indication }
    return shown
  }

  /// Shows an indication from now on; the same one goes on where it is. A new one is driven even where the light stays
  /// as it was, since only that tells whether it still can be.
  mutating func show(_ indication: Indication, at now: MonotonicInstant) {
    if indication != shown {
      shown = indication
      shownSince = now
      driven = nil
    }
    refresh(at: now)
  }

  /// Shows a short sign over whatever is shown.
  mutating func show(sign indication: Indication, for length: Duration? = nil, at now: MonotonicInstant) {
    let length = length ?? profile.pattern(indication).length ?? .milliseconds(500)
    sign = (indication, now, now + length)
    refresh(at: now)
  }

  /// Takes away a sign, so that nothing stands before the indication.
  mutating func clearSign() { sign = nil }

  /// Brings the light to what it should be.
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
        // A LED that stayed dark agrees while it should be dark: only light proves it.
        if failure != .indicatorDark || light { failure = nil }
      } else if now - drivenSince >= Self.senseTime {
        failure = .indicatorDark
      }
    } catch {
      driven = nil
      failure = .indicatorMissing
    }
  }

  /// Whether a sense input has yet to follow, and may still.
  var isLagging: Bool { failure == nil && !hasFollowed }

  /// How often an output that cannot be driven is tried again.
  static let retryPeriod: Duration = .seconds(1)

  /// When there is something to do next; nil while the light stays as it is.
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

  /// What keeps a person from seeing that location is in use; nil where nothing does.
  var restriction: LegibilityRestriction? {
    failure ?? unfitness
  }

  /// Whether location in use is being shown: its pattern has been driven without error, and seen where it can be.
  func isOn(at now: MonotonicInstant) -> Bool {
    guard failure == nil, hasFollowed else { return false }
    switch visible(at: now) {
    case .inUse, .background: return true
    case .off, .acquiring, .prompt, .locked, .nothingWaiting: return false
    }
  }
}
