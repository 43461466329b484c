import Base

/// The state machine that configures a receiver with commands in the form of NMEA sentences. The caller passes answers,
/// counts of sentences and times, and receives the bytes to send.
///
/// The configurator repeats a command if no answer arrives. A setting counts as applied only if an answer or the
/// receiver's output shows the change.
struct SentenceConfigurator: Sendable {
  /// The maximum count of attempts for each command. After the last attempt, the command counts as unanswered.
  static let attempts = 3
  /// The time after a command, in which the receiver may still use its old settings.
  static let settlingTime: Duration = .seconds(1)
  /// The time for which the configurator counts NMEA sentences to verify a setting. A receiver with a long period needs
  /// a longer time.
  static let countingTime: Duration = .seconds(5)

  private enum Phase {
    /// The configurator has requested the present value of a setting, and waits for the answer.
    case asking(SettingQuestion)
    case commanding(SettingCommand)
    /// The configurator has sent a command without an answer. After a short time, the configurator counts NMEA
    /// sentences to verify the change.
    case watching(SettingCommand)
    case counting(SettingCommand, since: SentenceCounts)
    /// The configurator sends nothing, because the receiver restarts or late answers may still arrive.
    case pausing
    case finished
  }

  let make: ReceiverMake
  let settings: ReceiverSettings
  private(set) var report: ConfigurationReport
  private(set) var nextDeadline: MonotonicInstant?
  private var phase = Phase.finished
  private var steps: [SettingStep]
  private var sent: [UInt8] = []
  private var attempt = 0
  /// Whether the receiver has shown that its value of the present setting differs from the wanted value.
  private var hasOtherValue = false
  private var counts = SentenceCounts()

  init(_ make: ReceiverMake, model: String, _ settings: ReceiverSettings) {
    self.make = make
    let hasSolution = settings.messages[.navPVT] ?? 0 > 0
    self.settings = hasSolution ? settings.replacingSolution : settings
    report = ConfigurationReport(model: model)
    steps = make.steps(self.settings)
    // The dynamic models of these makes differ from those of u-blox.
    if settings.dynamicModel != nil { steps.append(.refusal([.dynamicModel])) }
  }

  var isFinished: Bool {
    if case .finished = phase { true } else { false }
  }

  /// Whether the configurator needs the counts of received NMEA sentences to verify a setting.
  var needsCounts: Bool {
    switch phase {
    case .watching, .counting: true
    case .asking, .commanding, .pausing, .finished: false
    }
  }

  // MARK: Events

  mutating func start(at now: MonotonicInstant) -> [UInt8] { next(at: now) }

  mutating func receive(_ sentence: ReceiverAnswer, at now: MonotonicInstant) -> [UInt8] {
    switch phase {
    case .watching, .counting, .pausing, .finished: return []
    case .asking(let question):
      switch question.plan(sentence) {
      case nil: return []
      case .applied: return record(.applied, at: now)
      case .refused: return record(.refused, at: now)
      case .steps(let later):
        steps.replaceSubrange(0..<1, with: later)
        return proceed(at: now)
      }
    case .commanding(let command):
      guard case .answer(let verdict) = command.proof else { return [] }
      switch verdict(sentence) {
      case nil: return []
      case .notYet:
        hasOtherValue = true
        return []
      case .accepted: return record(.applied, at: now)
      case .refused: return refused(at: now)
      }
    }
  }

  mutating func receive(_ counts: SentenceCounts) { self.counts = counts }

  mutating func timePassed(at now: MonotonicInstant) -> [UInt8] {
    guard let deadline = nextDeadline, now >= deadline else { return [] }
    switch phase {
    case .finished: return []
    case .pausing: return next(at: now)
    case .watching(let command):
      phase = .counting(command, since: counts)
      nextDeadline = now + SentenceConfigurator.countingTime(of: command)
      return []
    case .counting(let command, let former):
      return judge(counts - former, of: command, at: now)
    case .asking, .commanding:
      return attempt < SentenceConfigurator.attempts ? again(at: now) : giveUp(at: now)
    }
  }

  // MARK: Steps

  private mutating func next(at now: MonotonicInstant) -> [UInt8] {
    attempt = 0
    hasOtherValue = false
    guard let step = steps.first else {
      phase = .finished
      nextDeadline = nil
      return []
    }
    if let question = step.question {
      phase = .asking(question)
      sent = ReceiverMake.bytes(of: [question.sentence])
    } else if let command = step.alternatives.first {
      if case .answer = command.proof { phase = .commanding(command) } else { phase = .watching(command) }
      sent = ReceiverMake.bytes(of: command.sentences)
    } else {
      return record(.refused, at: now)
    }
    return again(at: now)
  }

  private mutating func again(at now: MonotonicInstant) -> [UInt8] {
    attempt += 1
    if case .watching = phase {
      nextDeadline = now + SentenceConfigurator.settlingTime
    } else {
      nextDeadline = now + make.replyTimeout
    }
    return sent
  }

  /// Ends the attempts of a command without success. Returns the bytes to send next.
  private mutating func giveUp(at now: MonotonicInstant) -> [UInt8] {
    hasOtherValue ? refused(at: now) : record(.unanswered, at: now)
  }

  private mutating func refused(at now: MonotonicInstant) -> [UInt8] {
    guard steps[0].alternatives.count > 1 else { return record(.refused, at: now) }
    steps[0].alternatives.removeFirst()
    return proceed(at: now)
  }

  /// Records the result of the present settings, and continues with the next step. Returns the bytes to send.
  /// - Parameter proved: the settings that the receiver has applied, even if `outcome` tells another result.
  private mutating func record(
    _ outcome: ConfigurationReport.Outcome, proved: Set<ReceiverSetting> = [], at now: MonotonicInstant
  ) -> [UInt8] {
    let step = steps.removeFirst()
    for setting in step.settings { report.record(proved.contains(setting) ? .applied : outcome, of: setting) }
    if outcome != .applied { steps.insert(contentsOf: step.otherwise, at: 0) }
    return proceed(at: now, after: outcome == .applied && step.question == nil ? step.pause : .zero)
  }

  /// Continues with the next step, and returns the bytes to send. After repeated attempts, the function first waits
  /// until no late answer can arrive.
  private mutating func proceed(at now: MonotonicInstant, after pause: Duration = .zero) -> [UInt8] {
    let wait = max(pause, attempt > 1 ? make.replyTimeout * 2 : .zero)
    guard wait > .zero else { return next(at: now) }
    phase = .pausing
    nextDeadline = now + wait
    return []
  }

  // MARK: Counting

  private static func countingTime(of command: SettingCommand) -> Duration {
    guard case .period(let milliseconds) = command.proof else { return countingTime }
    return max(countingTime, .milliseconds(milliseconds) * 5)
  }

  private mutating func judge(
    _ counts: SentenceCounts, of command: SettingCommand, at now: MonotonicInstant
  ) -> [UInt8] {
    let wanted = Set(steps[0].settings)
    let proved = SentenceConfigurator.proved(wanted, by: counts, command)
    if proved == wanted { return record(.applied, at: now) }
    if counts.positions > 0 { hasOtherValue = true }
    let mayRepeat = !command.sentences.isEmpty && attempt < SentenceConfigurator.attempts
    guard mayRepeat else { return hasOtherValue ? record(.refused, proved: proved, at: now) : giveUp(at: now) }
    phase = .watching(command)
    return again(at: now)
  }

  /// Returns the settings that the receiver has applied, according to the counts of received NMEA sentences.
  private static func proved(
    _ settings: Set<ReceiverSetting>, by counts: SentenceCounts, _ command: SettingCommand
  ) -> Set<ReceiverSetting> {
    switch command.proof {
    case .answer: return []
    case .sentences(let expectations):
      return settings.filter { setting in
        expectations[setting].map { (counts.count(of: $0.type) > 0) == $0.isSent } ?? false
      }
    case .period(let milliseconds):
      // The first and the last position may be just outside the counted time.
      let expected = countingTime(of: command) / .milliseconds(milliseconds)
      return abs(Double(counts.positions) - expected) <= max(1, expected / 10) ? settings : []
    }
  }
}
