public import Base

/// The state machine that configures a u-blox receiver. The caller passes replies and times, and receives the bytes to
/// send.
///
/// The configurator first requests the version of the receiver (MON-VER), and sends no settings if the receiver does
/// not answer. Then the configurator sends the settings one after the other, as configuration keys (CFG-VALSET).
/// Receivers without keys (M8 and before) get the older messages, and so do receivers that refuse a key. Each message
/// is repeated if no reply arrives. A setting counts as applied only if the receiver has acknowledged it.
///
///     var configurator = Configurator(settings)
///     send(configurator.start(at: now))
///     send(configurator.receive(identifier, payload, at: now))   // for each frame
///     send(configurator.timePassed(at: now))                      // at nextDeadline
public struct Configurator: Sendable {
  /// The timeout for the receiver's reply to a message. Receivers acknowledge within one second. (M10 SPG 5.10 §3.3)
  public static let replyTimeout: Duration = .seconds(1)
  /// The maximum count of attempts for each message. After the last attempt, the setting counts as unanswered.
  public static let attempts = 3

  private enum Phase {
    case idle
    case version
    /// The configurator has requested the present content of a message, because only some fields must change.
    case requesting(UBXIdentifier)
    case setting(UBXIdentifier)
    /// The configurator sends nothing for a while, because late replies must not count as replies to the next message.
    case settling
    case finished
  }

  private struct Step {
    var setting: ReceiverSetting
    var isLegacy: Bool
  }

  /// The settings to apply. If the receiver refuses the message NAV-PVT, the configurator adds NMEA sentences with the
  /// same data.
  public private(set) var settings: ReceiverSettings
  /// The results of the settings so far.
  public private(set) var report = ConfigurationReport()
  /// The instant at which the caller must call `timePassed`, unless a frame arrives before; nil if the configurator
  /// waits for no reply.
  public private(set) var nextDeadline: MonotonicInstant?

  /// The original settings from the caller. (`settings` can change during the configuration.)
  private let wanted: ReceiverSettings
  private var phase = Phase.idle
  private var steps: [Step] = []
  /// The necessary change of a requested message; nil before the receiver has sent the present content.
  private var content: LegacyConfiguration.Change?
  private var sent: [UInt8] = []
  private var attempt = 0

  /// Creates a configurator for the given settings. A call of `start(at:)` starts the configuration.
  public init(_ settings: ReceiverSettings) {
    self.settings = settings
    wanted = settings
  }

  /// Whether the configuration has ended, so that every setting has a result.
  public var isFinished: Bool {
    if case .finished = phase { true } else { false }
  }

  /// Whether the configurator waits for the receiver's answer to the version request.
  public var awaitsVersion: Bool {
    if case .version = phase { true } else { false }
  }

  // MARK: Events

  /// Starts the configuration from the beginning. Returns the bytes to send to the receiver.
  public mutating func start(at now: MonotonicInstant) -> [UInt8] {
    report = ConfigurationReport()
    settings = wanted
    content = nil
    steps = Configurator.order(of: settings).map { Step(setting: $0, isLegacy: false) }
    return send(UBXFrame.encode(.monVER), .version, at: now)
  }

  /// Processes a frame from the receiver. Returns the bytes to send to the receiver, possibly none.
  public mutating func receive(
    _ identifier: UBXIdentifier, _ payload: Span<UInt8>, at now: MonotonicInstant
  ) -> [UInt8] {
    switch phase {
    case .idle, .settling, .finished: return []
    case .version:
      guard identifier == .monVER, let version = try? MonVER(payload) else { return [] }
      report.version = version
      (report.receiver, report.model) = (version.model ?? version.software, version.model)
      if !version.maySupportKeys {
        for index in steps.indices { steps[index].isLegacy = true }
      }
      return proceed(at: now)
    case .requesting(let requested):
      if identifier == requested {
        content = settings.change(of: requested, payload)
        return []
      }
      // The receiver acknowledges the request after the content. This is not the acknowledgement of the change.
      guard let answer = reply(identifier, payload), answer.message == requested else { return [] }
      guard answer.isAccepted else { return refused(at: now) }
      return content == nil ? [] : proceed(at: now)
    case .setting(let set):
      guard let answer = reply(identifier, payload), answer.message == set else { return [] }
      return answer.isAccepted ? record(.applied, at: now) : refused(at: now)
    }
  }

  /// Sends a message again if its reply did not arrive before `nextDeadline`, or continues after the last attempt.
  /// Returns the bytes to send to the receiver, possibly none.
  public mutating func timePassed(at now: MonotonicInstant) -> [UInt8] {
    guard let deadline = nextDeadline, now >= deadline else { return [] }
    switch phase {
    case .idle, .finished: return []
    case .settling: return next(at: now)
    case .requesting where content != nil: return next(at: now)
    case .version, .requesting, .setting: break
    }
    if attempt < Configurator.attempts {
      attempt += 1
      nextDeadline = now + Configurator.replyTimeout
      return sent
    }
    if case .version = phase {
      report.entries = steps.map { .init(setting: $0.setting, outcome: .unanswered) }
      return finish()
    }
    return record(.unanswered, at: now)
  }

  // MARK: Steps

  /// Returns the settings in the order of sending. The constellations come last, because their change interrupts the
  /// positions.
  private static func order(of settings: ReceiverSettings) -> [ReceiverSetting] {
    var order: [ReceiverSetting] = []
    if settings.messages.contains(where: { $0.value > 0 }) { order.append(.protocols) }
    // Messages are switched on before others are switched off, so that the receiver is never silent.
    let on = OutputMessage.allCases.filter { settings.messages[$0] ?? 0 > 0 }
    let off = OutputMessage.allCases.filter { settings.messages[$0] == 0 }
    order += (on + off).map(ReceiverSetting.message)
    if settings.period != nil { order.append(.period) }
    if settings.dynamicModel != nil { order.append(.dynamicModel) }
    if settings.constellations != nil { order.append(.constellations) }
    return order
  }

  private func reply(_ identifier: UBXIdentifier, _ payload: Span<UInt8>) -> Acknowledgement? {
    identifier == .ack || identifier == .nak ? try? Acknowledgement(identifier, payload) : nil
  }

  private mutating func send(_ bytes: [UInt8], _ phase: Phase, at now: MonotonicInstant) -> [UInt8] {
    self.phase = phase
    sent = bytes
    attempt = 1
    nextDeadline = now + Configurator.replyTimeout
    return bytes
  }

  /// Continues with the next setting, and returns the bytes to send. After repeated attempts, the function first waits
  /// until no late reply can arrive.
  private mutating func proceed(at now: MonotonicInstant) -> [UInt8] {
    guard attempt > 1 else { return next(at: now) }
    phase = .settling
    nextDeadline = now + Configurator.replyTimeout * 2
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
    case .protocols: return send(UBXFrame.encode(.cfgPRT), .requesting(.cfgPRT), at: now)
    case .constellations: return send(UBXFrame.encode(.cfgGNSS), .requesting(.cfgGNSS), at: now)
    case .constellation: return record(.refused, at: now)
    case .message(let message):
      let frame = LegacyConfiguration.rate(of: message, settings.messages[message] ?? 0)
      return send(frame, .setting(.cfgMSG), at: now)
    case .period: return send(LegacyConfiguration.period(settings.period ?? 1000), .setting(.cfgRATE), at: now)
    case .dynamicModel:
      let frame = LegacyConfiguration.dynamicModel(settings.dynamicModel ?? .portable)
      return send(frame, .setting(.cfgNAV5), at: now)
    }
  }

  /// Sends a message with the changed fields. If no field needs a change, the function records the setting as applied.
  private mutating func change(
    _ change: LegacyConfiguration.Change, of step: Step, at now: MonotonicInstant
  ) -> [UInt8] {
    attempt = 1
    switch change {
    case .needed(let frame): return send(frame, .setting(step.setting == .protocols ? .cfgPRT : .cfgGNSS), at: now)
    case .none: return record(.applied, at: now)
    case .unreadable: return record(.refused, at: now)
    }
  }

  private mutating func refused(at now: MonotonicInstant) -> [UInt8] {
    content = nil
    guard let step = steps.first, !step.isLegacy else {
      if steps.first?.setting == .message(.navPVT) { settings = settings.replacingSolution }
      if case .message(let message) = steps.first?.setting, message.isOptional {
        steps.removeFirst()
        return proceed(at: now)
      }
      return record(.refused, at: now)
    }
    switch step.setting {
    case .constellation: return record(.refused, at: now)
    case .constellations where report.version?.protocolVersion.map { $0 >= 2301 } ?? false:
      // The receiver supports keys but refused a message with all constellations, so it does not support at least one of
      // them. Each constellation gets its own message.
      steps.replaceSubrange(0..<1, with: settings.systems.map { Step(setting: .constellation($0), isLegacy: false) })
    default: steps[0].isLegacy = true
    }
    return proceed(at: now)
  }

  private mutating func record(_ outcome: ConfigurationReport.Outcome, at now: MonotonicInstant) -> [UInt8] {
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
