public import Clocks
import GNSS

/// Sets a receiver up: bytes to send come out, its answers and the time go in.
///
/// The receiver is asked what it is (MON-VER). Then one setting after the other is sent: as keys (CFG-VALSET) to those
/// that may know them, as the older messages to M8 and before, and to those that refuse the key. Each is sent again
/// when no answer comes within a second, three times in all; what the receiver acknowledged is applied, and nothing
/// else. One that never answers MON-VER is left as it is: it works on.
///
///     var configurator = Configurator(settings)
///     send(configurator.start(at: now))
///     send(configurator.receive(identifier, payload, at: now))   // for each frame
///     send(configurator.timePassed(at: now))                      // at nextDeadline
public struct Configurator: Sendable {
  /// How long an answer is waited for. (M10 SPG 5.10 §3.3: acknowledged within one second)
  public static let patience: Duration = .seconds(1)
  /// How often each message is sent before it counts as unanswered.
  public static let attempts = 3

  private enum Phase {
    case idle
    case version
    /// What a message holds is asked, so that the rest of it can be kept.
    case asking(UBXIdentifier)
    case setting(UBXIdentifier)
    /// An answer came to one of several attempts: those to the others may still come, and are no answers to what is
    /// next.
    case settling
    case finished
  }

  private struct Step {
    var setting: ReceiverSetting
    var isLegacy: Bool
  }

  /// What the receiver is to be told.
  public let settings: ReceiverSettings
  /// What it has answered so far.
  public private(set) var report = ConfigurationReport()
  /// When to call `timePassed` if nothing was received before; nil while nothing is waited for.
  public private(set) var nextDeadline: MonotonicInstant?

  private var phase = Phase.idle
  private var steps: [Step] = []
  /// What the content that was asked for calls for.
  private var content: LegacyConfiguration.Change?
  private var sent: [UInt8] = []
  private var attempt = 0

  /// Sends nothing before `start(at:)`.
  public init(_ settings: ReceiverSettings) {
    self.settings = settings
  }

  /// Whether every setting has its outcome.
  public var isFinished: Bool {
    if case .finished = phase { true } else { false }
  }

  // MARK: Events

  /// Begins, or begins again: the bytes to send.
  public mutating func start(at now: MonotonicInstant) -> [UInt8] {
    report = ConfigurationReport()
    content = nil
    steps = Configurator.order(of: settings).map { Step(setting: $0, isLegacy: false) }
    return send(UBXFrame.encode(.monVER), .version, at: now)
  }

  /// Takes a frame of the receiver. The bytes to send, perhaps none.
  public mutating func receive(
    _ identifier: UBXIdentifier, _ payload: Span<UInt8>, at now: MonotonicInstant
  ) -> [UInt8] {
    switch phase {
    case .idle, .settling, .finished: return []
    case .version:
      guard identifier == .monVER, let version = try? MonVER(payload) else { return [] }
      report.version = version
      if !version.mayKnowKeys {
        for index in steps.indices { steps[index].isLegacy = true }
      }
      return proceed(at: now)
    case .asking(let asked):
      if identifier == asked {
        content = settings.change(of: asked, payload)
        return []
      }
      // The content comes before its acknowledgement, which must not be taken for that of the change.
      switch answer(identifier, payload) {
      case Answer(asked, true) where content != nil: return proceed(at: now)
      case Answer(asked, false): return refused(at: now)
      default: return []
      }
    case .setting(let set):
      switch answer(identifier, payload) {
      case Answer(set, true): return decided(.applied, at: now)
      case Answer(set, false): return refused(at: now)
      default: return []
      }
    }
  }

  /// The time is now. The bytes to send, perhaps none.
  public mutating func timePassed(at now: MonotonicInstant) -> [UInt8] {
    guard let deadline = nextDeadline, now >= deadline else { return [] }
    switch phase {
    case .idle, .finished: return []
    case .settling: return next(at: now)
    case .asking where content != nil: return next(at: now)
    case .version, .asking, .setting: break
    }
    if attempt < Configurator.attempts {
      attempt += 1
      nextDeadline = now + Configurator.patience
      return sent
    }
    if case .version = phase {
      report.entries = steps.map { .init(setting: $0.setting, outcome: .unanswered) }
      return finish()
    }
    return decided(.unanswered, at: now)
  }

  // MARK: Steps

  /// What a change of systems restarts comes last.
  private static func order(of settings: ReceiverSettings) -> [ReceiverSetting] {
    var order: [ReceiverSetting] = []
    if settings.messages.contains(where: { $0.value > 0 }) { order.append(.protocols) }
    // What is switched on comes first: a receiver is never silent between.
    let on = OutputMessage.allCases.filter { settings.messages[$0] ?? 0 > 0 }
    let off = OutputMessage.allCases.filter { settings.messages[$0] == 0 }
    order += (on + off).map(ReceiverSetting.message)
    if settings.period != nil { order.append(.period) }
    if settings.dynamicModel != nil { order.append(.dynamicModel) }
    if settings.constellations != nil { order.append(.constellations) }
    return order
  }

  private struct Answer: Equatable {
    var message: UBXIdentifier
    var isAccepted: Bool

    init(_ message: UBXIdentifier, _ isAccepted: Bool) {
      self.message = message
      self.isAccepted = isAccepted
    }
  }

  private func answer(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) -> Answer? {
    guard identifier == .ack || identifier == .nak,
      let acknowledgement = try? Acknowledgement(identifier, payload)
    else { return nil }
    return Answer(acknowledgement.message, acknowledgement.isAccepted)
  }

  private mutating func send(_ bytes: [UInt8], _ phase: Phase, at now: MonotonicInstant) -> [UInt8] {
    self.phase = phase
    sent = bytes
    attempt = 1
    nextDeadline = now + Configurator.patience
    return bytes
  }

  /// Goes on with the next step, as soon as no answer to the last can come any more.
  private mutating func proceed(at now: MonotonicInstant) -> [UInt8] {
    guard attempt > 1 else { return next(at: now) }
    phase = .settling
    nextDeadline = now + Configurator.patience * 2
    return []
  }

  private mutating func next(at now: MonotonicInstant) -> [UInt8] {
    guard let step = steps.first else { return finish() }
    if let content {
      self.content = nil
      return change(content, of: step, at: now)
    }
    if !step.isLegacy {
      return send(ValueSet.frame(settings.items(for: step.setting)), .setting(.cfgVALSET), at: now)
    }
    switch step.setting {
    case .protocols: return send(UBXFrame.encode(.cfgPRT), .asking(.cfgPRT), at: now)
    case .constellations: return send(UBXFrame.encode(.cfgGNSS), .asking(.cfgGNSS), at: now)
    case .constellation: return decided(.refused, at: now)
    case .message(let message):
      let frame = LegacyConfiguration.rate(of: message, settings.messages[message] ?? 0)
      return send(frame, .setting(.cfgMSG), at: now)
    case .period: return send(LegacyConfiguration.period(settings.period ?? 1000), .setting(.cfgRATE), at: now)
    case .dynamicModel:
      let frame = LegacyConfiguration.dynamicModel(settings.dynamicModel ?? .portable)
      return send(frame, .setting(.cfgNAV5), at: now)
    }
  }

  /// A message said what it holds: it is sent back with what is to be set.
  private mutating func change(
    _ change: LegacyConfiguration.Change, of step: Step, at now: MonotonicInstant
  ) -> [UInt8] {
    attempt = 1
    switch change {
    case .needed(let frame): return send(frame, .setting(step.setting == .protocols ? .cfgPRT : .cfgGNSS), at: now)
    case .none: return decided(.applied, at: now)
    case .unreadable: return decided(.refused, at: now)
    }
  }

  private mutating func refused(at now: MonotonicInstant) -> [UInt8] {
    content = nil
    guard let step = steps.first, !step.isLegacy else { return decided(.refused, at: now) }
    switch step.setting {
    case .constellation: return decided(.refused, at: now)
    case .constellations where report.version?.protocolVersion.map { $0 >= 2301 } ?? false:
      // It knows keys: some system is none of its own.
      steps.replaceSubrange(0..<1, with: settings.systems.map { Step(setting: .constellation($0), isLegacy: false) })
    default: steps[0].isLegacy = true
    }
    return proceed(at: now)
  }

  private mutating func decided(_ outcome: ConfigurationReport.Outcome, at now: MonotonicInstant) -> [UInt8] {
    report.entries.append(.init(setting: steps.removeFirst().setting, outcome: outcome))
    return proceed(at: now)
  }

  private mutating func finish() -> [UInt8] {
    phase = .finished
    nextDeadline = nil
    steps = []
    return []
  }
}
