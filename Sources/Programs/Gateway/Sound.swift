import Authorization
import Base
import Hardware
import Logging
import OperatingSystem

/// Plays signals with the buzzer, one after the other. The LED shows the same signals, so no decision of the gateway
/// depends on the buzzer.
struct Sound {
  private let buzzer: GatewayDependencies.Buzzer?
  private var playing: (pattern: IndicatorPattern, since: MonotonicInstant)?
  /// The signal to play after the present one; nil if there is none. A newer signal replaces an older one.
  private var next: SoundSignal?
  /// The identifier of the latest prompt (question to the user) that a press of the button could answer.
  private var prompt: Int?
  /// The level that was last written to the buzzer output, true for on; nil if the level must be written again.
  private var driven: Bool?
  private(set) var fault: (cause: String, kind: HardwareError.Kind)?
  private var failures = 0
  /// The instant of the next attempt after a failure of the buzzer output; nil if the output works.
  private var retry: MonotonicInstant?

  /// The silence between two signals, long enough to hear two separate signals.
  static let pause: Duration = .milliseconds(400)
  /// The increasing times between two attempts to write to a buzzer output that has failed.
  private static let pauses = Backoff(first: .seconds(1), longest: .seconds(60))

  init(_ buzzer: GatewayDependencies.Buzzer?) { self.buzzer = buzzer }

  /// Switches the buzzer off, because a crash of an earlier run can have left the buzzer on.
  mutating func start(at now: MonotonicInstant, _ outputs: inout Outputs) { drive(false, at: now, &outputs) }

  /// Returns whether a press of the button answers this prompt for the first time. After a one-time use of the location
  /// the button answers the same prompt again, which has no signal.
  mutating func isNew(_ prompt: Int?) -> Bool {
    guard let prompt, prompt != self.prompt else { return false }
    self.prompt = prompt
    return true
  }

  /// Returns the sound signal for an event; nil if the event has no signal.
  /// - Parameters:
  ///   - effects: The effects of the event on the authorizations.
  ///   - isAsked: Whether a press of the button answers a new prompt (a question to the user) since the event.
  ///   - before: The effect of the latest press of the button before the event.
  ///   - after: The effect of the latest press of the button after the event.
  static func signal(
    for effects: [Effect], isAsked: Bool, from before: LastPress, to after: LastPress
  ) -> SoundSignal? {
    for case .announceLock(let isLocked) in effects { return isLocked ? .locked : .unlocked }
    if isAsked { return .question }
    return (before.effect, before.instant) == (after.effect, after.instant)
      ? nil : after.effect.flatMap(SoundSignal.init)
  }

  /// Stores a signal to play after the present one. In the quiet hours, and after a failure of the output, the signal
  /// is dropped.
  ///
  /// `pass(to:)` begins the signal later with its own time, because an old time would shorten the first tone.
  /// - Parameter isClockRight: Whether the wall clock is right. If false, a buzzer with quiet hours plays no signal.
  mutating func play(_ signal: SoundSignal, isClockRight: Bool, at now: ClockReading) {
    guard let buzzer, fault == nil, !buzzer.profile.pattern(signal).phases.isEmpty else { return }
    if let quiet = buzzer.profile.quiet {
      guard isClockRight, !quiet.contains(buzzer.minuteOfDay(now.utc)) else { return }
    }
    next = signal
  }

  /// Writes the level of the present signal at this instant to the buzzer output, and begins the next signal after
  /// `pause`.
  mutating func pass(to now: MonotonicInstant, _ outputs: inout Outputs) {
    guard let buzzer else { return }
    if let retry {
      if retry <= now { drive(false, at: now, &outputs) }
      return
    }
    if let playing {
      drive(playing.pattern.output(at: now - playing.since).isLit, at: now, &outputs)
      if now >= end(of: playing) + Self.pause { self.playing = nil }
    }
    guard playing == nil, let signal = next else { return }
    playing = (buzzer.profile.pattern(signal), now)
    next = nil
    drive(true, at: now, &outputs)
  }

  /// Returns the instant at which `pass(to:)` must be called next; nil if the buzzer does not change.
  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    if let retry { return retry }
    guard let playing else { return next == nil ? nil : now }
    let change = playing.pattern.output(at: now - playing.since).until.map { playing.since + $0 }
    return change ?? end(of: playing) + Self.pause
  }

  /// Stops the present signal, and switches the buzzer off.
  mutating func stop(at now: MonotonicInstant, _ outputs: inout Outputs) {
    (playing, next) = (nil, nil)
    drive(false, at: now, &outputs)
  }

  private func end(of signal: (pattern: IndicatorPattern, since: MonotonicInstant)) -> MonotonicInstant {
    signal.since + (signal.pattern.length ?? .zero)
  }

  /// Writes a level to the buzzer output. After an error, all signals are dropped, and later attempts switch the buzzer
  /// off.
  private mutating func drive(_ isOn: Bool, at now: MonotonicInstant, _ outputs: inout Outputs) {
    guard let buzzer, isOn != driven else { return }
    do {
      try buzzer.output.set(isOn: isOn)
      driven = isOn
      if fault != nil { outputs.log(.indicator, .notice, "the buzzer works again") }
      (fault, retry, failures) = (nil, nil, 0)
    } catch {
      if fault?.cause != "\(error)" {
        outputs.log(.indicator, .warning, "the buzzer does not work", ["cause": "\(error)"])
      }
      fault = ("\(error)", (error as? HardwareError)?.kind ?? .failed)
      retry = now + Self.pauses.maximumDelay(after: failures)
      failures += 1
      (driven, playing, next) = (nil, nil, nil)
    }
  }
}

extension SoundSignal {
  /// Creates the sound signal for the effect of a press of the button. Nil if the effect has no signal, or if a later
  /// effect of the same press has a signal.
  fileprivate init?(_ effect: PressPhrase) {
    switch effect {
    case .served, .allowed: self = .served
    case .noFix, .denied, .kept, .restricted, .whileLocked, .lightUnseen, .outputFull: self = .refused
    case .nothingWaiting, .paused, .otherButton, .tooEarly: self = .nothingWaiting
    case .locked: self = .locked
    case .unlocked: self = .unlocked
    case .acquiring, .unconfirmed, .asked, .repeated, .unanswered, .withdrawn: return nil
    }
  }
}
