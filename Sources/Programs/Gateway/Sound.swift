import Authorization
import Base
import Hardware
import Logging
import OperatingSystem

/// The buzzer, which plays one signal after the other. The buzzer is an addition to the indicator: no right and no
/// disclosure depends on the buzzer.
struct Sound {
  private let buzzer: GatewayDependencies.Buzzer?
  private var playing: (pattern: IndicatorPattern, since: MonotonicInstant)?
  /// The signal that follows the playing signal. A newer signal replaces it.
  private var next: SoundSignal?
  /// The level that the output accepted last; nil if the output has to be driven again.
  private var driven: Bool?
  private(set) var fault: (cause: String, kind: HardwareError.Kind)?
  private var failures = 0
  /// The time of the next attempt to drive an output that failed; nil without a fault.
  private var retry: MonotonicInstant?

  /// The silence between two signals, so that a person hears two signals.
  static let pause: Duration = .milliseconds(400)
  /// The pauses between two attempts to drive an output that fails.
  private static let pauses = Backoff(first: .seconds(1), longest: .seconds(60))

  init(_ buzzer: GatewayDependencies.Buzzer?) { self.buzzer = buzzer }

  /// Silences the output, which can sound since an earlier run that was killed.
  mutating func start(at now: MonotonicInstant, _ outputs: inout Outputs) { drive(false, at: now, &outputs) }

  /// Returns the signal for an event and its effects; nil if a person at the button hears nothing.
  /// - Parameters:
  ///   - before: The latest press before the event.
  ///   - after: The latest press after the event.
  static func signal(for effects: [Effect], from before: LastPress, to after: LastPress) -> SoundSignal? {
    for case .announceLock(let isLocked) in effects { return isLocked ? .locked : .unlocked }
    let isQuestion = effects.contains { if case .show = $0 { true } else { false } }
    if isQuestion { return .question }
    return (before.effect, before.instant) == (after.effect, after.instant)
      ? nil : after.effect.flatMap(SoundSignal.init)
  }

  /// Plays a signal after the playing signal. Nothing is played in the quiet hours, and while the output fails. The next
  /// call of `pass` begins the signal: the input that caused the signal can have waited for the disk, and its time would
  /// make the first tone shorter.
  /// - Parameter isClockRight: Whether the clock of this machine is right. With a wrong clock, the beginning of the quiet
  ///   hours is unknown, so a buzzer with quiet hours is silent.
  mutating func play(_ signal: SoundSignal, isClockRight: Bool, at now: ClockReading) {
    guard let buzzer, fault == nil, !buzzer.profile.pattern(signal).phases.isEmpty else { return }
    if let quiet = buzzer.profile.quiet {
      guard isClockRight, !quiet.contains(buzzer.minuteOfDay(now.utc)) else { return }
    }
    next = signal
  }

  /// Drives the output to the level of this time, and begins the next signal after the pause.
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

  /// Returns the time of the next necessary call of `pass`; nil if the output does not change.
  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    if let retry { return retry }
    guard let playing else { return next == nil ? nil : now }
    let change = playing.pattern.output(at: now - playing.since).until.map { playing.since + $0 }
    return change ?? end(of: playing) + Self.pause
  }

  /// Silences the output at the end of the program.
  mutating func stop(at now: MonotonicInstant, _ outputs: inout Outputs) {
    (playing, next) = (nil, nil)
    drive(false, at: now, &outputs)
  }

  private func end(of signal: (pattern: IndicatorPattern, since: MonotonicInstant)) -> MonotonicInstant {
    signal.since + (signal.pattern.length ?? .zero)
  }

  /// Drives the output. After a failure, the signals are dropped, and later attempts silence the output.
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
  /// Creates the signal for the effect of a press; nil for an effect that another effect follows, and for an effect
  /// without a signal.
  fileprivate init?(_ effect: PressPhrase) {
    switch effect {
    case .served: self = .served
    case .noFix, .denied, .restricted, .whileLocked, .lightUnseen: self = .refused
    case .nothingWaiting, .paused, .otherButton, .tooEarly: self = .nothingWaiting
    case .locked: self = .locked
    case .unlocked: self = .unlocked
    case .acquiring, .asked, .allowed, .kept, .repeated, .unanswered, .withdrawn: return nil
    }
  }
}
