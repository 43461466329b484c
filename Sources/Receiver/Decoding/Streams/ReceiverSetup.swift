package import Base

/// A message from the receiver about its configuration, for example an answer to a command.
package enum ReceiverMessage: Hashable, Sendable {
  case frame(UBXIdentifier, [UInt8])
  case answer(ReceiverAnswer)
  /// The receiver has just started, so that its settings have their default values.
  case started
}

/// A state machine that decides when the gateway must configure the receiver. A receiver loses its settings when it
/// restarts.
///
/// The configuration starts when the port is open and the speed of the receiver is known. The configuration starts
/// again after a restart of the receiver, after a pause in its data, and after a loss of the port. The caller passes
/// events and times, and receives the bytes to send.
///
/// The gateway first requests the version of a u-blox receiver. Without an answer, the gateway also sends the version
/// requests of all other manufacturers. The first answer determines the manufacturer.
package struct ReceiverSetup: Sendable {
  /// The maximum count of configurations within `period`, for a receiver that restarts again and again.
  package static let mostRuns = 3
  package static let period: Duration = .seconds(60)

  private enum Phase {
    case closed
    /// The receiver has sent no data since its port was opened.
    case waiting
    case running
    case done
  }

  /// The state machine that configures a u-blox receiver.
  private var configurator: Configurator
  /// The state machine that configures a receiver of another manufacturer than u-blox; nil if no such receiver has
  /// answered.
  private var sentences: SentenceConfigurator?
  private var phase = Phase.closed
  private var hasReceived = false
  private var hasRestarted = false
  private var runs: [MonotonicInstant] = []
  private var restlessNoted: MonotonicInstant?
  private var notices: [ReceiverNotice] = []
  /// The results of the latest configuration; nil before the end of the first configuration.
  package private(set) var report: ConfigurationReport?

  package init(_ settings: ReceiverSettings) {
    configurator = Configurator(settings)
  }

  package var settings: ReceiverSettings { sentences?.settings ?? configurator.settings }

  /// The estimated count of bytes per second that the receiver sends with these settings; nil if unknown.
  package var expectedBytesPerSecond: Double? { settings.expectedBytesPerSecond }

  package var isRunning: Bool { phase == .running }

  /// The instant at which the caller must call `pass`; nil if the gateway waits for no answer.
  package var nextDeadline: MonotonicInstant? {
    guard isRunning else { return nil }
    return sentences.map(\.nextDeadline) ?? configurator.nextDeadline
  }

  /// Whether the caller must pass the counts of received NMEA sentences. With the counts, the configuration verifies a
  /// setting.
  package var needsCounts: Bool { isRunning && sentences?.needsCounts ?? false }

  /// Returns and removes the messages that wait for the owner's log.
  package mutating func drainNotices() -> [ReceiverNotice] {
    defer { notices = [] }
    return notices
  }

  // MARK: Events

  /// Starts the configuration of a receiver whose port was opened, and returns the bytes to send. If the speed of the
  /// port is unknown, the configuration waits for data.
  package mutating func open(isSpeedKnown: Bool, at now: MonotonicInstant) -> [UInt8] {
    (runs, restlessNoted) = ([], nil)
    hasReceived = false
    phase = .waiting
    return isSpeedKnown ? start(at: now) : []
  }

  package mutating func lose() { phase = .closed }

  /// Starts a waiting configuration, because received bytes show that the speed of the port is correct. Returns the
  /// bytes to send.
  package mutating func receiveBytes(at now: MonotonicInstant) -> [UInt8] {
    hasReceived = true
    return phase == .waiting ? start(at: now) : []
  }

  /// Records a pause in the receiver's data. Later data may come from another receiver, so the configuration then
  /// starts again.
  package mutating func fallSilent() {
    if phase == .done { phase = .waiting }
  }

  package mutating func receive(_ message: ReceiverMessage, at now: MonotonicInstant) -> [UInt8] {
    switch (message, phase) {
    case (_, .closed), (_, .waiting), (.frame, .done): return []
    case (.started, .done): return start(at: now)
    case (.started, .running):
      hasRestarted = true
      return []
    case (.frame(let identifier, let payload), .running):
      guard sentences == nil else { return [] }
      let bytes = configurator.receive(identifier, payload.span, at: now)
      return bytes + finishIfDone(at: now)
    case (.answer(let answer), _): return receive(answer, at: now)
    }
  }

  private mutating func receive(_ answer: ReceiverAnswer, at now: MonotonicInstant) -> [UInt8] {
    if isRunning, sentences != nil {
      let bytes = sentences?.receive(answer, at: now) ?? []
      return bytes + finishIfDone(at: now)
    }
    if isRunning ? configurator.awaitsVersion : report?.receiver == nil {
      // The answer may come after the last attempt: a receiver that fills its line answers late.
      guard let (make, model) = ReceiverMake.recognize(answer) else { return [] }
      phase = .running
      sentences = SentenceConfigurator(make, model: model, configurator.settings)
      let bytes = sentences?.start(at: now) ?? []
      return bytes + finishIfDone(at: now)
    }
    // During a configuration, a restart is the consequence of a command.
    let hasStarted = sentences?.make.startSigns.contains { answer.fields.starts(with: $0) } ?? false
    return hasStarted && !isRunning ? start(at: now) : []
  }

  package mutating func receive(_ counts: SentenceCounts) { sentences?.receive(counts) }

  package mutating func pass(to now: MonotonicInstant) -> [UInt8] {
    guard isRunning else { return [] }
    if sentences != nil {
      let bytes = sentences?.timePassed(at: now) ?? []
      return bytes + finishIfDone(at: now)
    }
    var bytes = configurator.timePassed(at: now)
    if !bytes.isEmpty, configurator.awaitsVersion { bytes += ReceiverMake.identificationBytes }
    return bytes + finishIfDone(at: now)
  }

  // MARK: Runs

  private mutating func start(at now: MonotonicInstant) -> [UInt8] {
    runs.removeAll { now - $0 >= Self.period }
    hasRestarted = false
    guard runs.count < Self.mostRuns else {
      phase = .done
      if let restlessNoted, now - restlessNoted < Self.period { return [] }
      restlessNoted = now
      notices.append(
        ReceiverNotice(
          .warning, "the receiver restarts again and again, and is not configured any more",
          ["remedy": "is its power supply stable? else find the setting in [receiver] that makes it restart"]))
      return []
    }
    runs.append(now)
    phase = .running
    sentences = nil
    return configurator.start(at: now)
  }

  private mutating func finishIfDone(at now: MonotonicInstant) -> [UInt8] {
    guard sentences?.isFinished ?? configurator.isFinished else { return [] }
    let former = report
    let report = sentences?.report ?? configurator.report
    self.report = report
    if hasRestarted { return start(at: now) }
    notices.append(notice(of: report, isNew: report != former))
    // If the receiver did not answer, the configuration starts again when the receiver sends data.
    phase = report.receiver == nil && !hasReceived ? .waiting : .done
    return []
  }

  private func notice(of report: ConfigurationReport, isNew: Bool) -> ReceiverNotice {
    let severity = isNew ? ReceiverNotice.Severity.notice : .info
    guard let receiver = report.receiver else {
      return ReceiverNotice(
        severity, "the receiver does not answer, and is not configured",
        ["remedy": "is its input connected? else set configure = false in [receiver]"])
    }
    var details = ["receiver": receiver]
    for (name, outcome) in ConfigurationReport.names {
      let settings = report.list(outcome, of: settings)
      if !settings.isEmpty { details[name] = settings.joined(separator: ",") }
    }
    let isRefusing = report.applied.isEmpty && !report.notApplied.isEmpty
    return ReceiverNotice(
      severity, isRefusing ? "the receiver refused every setting" : "the receiver is configured", details)
  }

  // MARK: Status

  /// The receiver's settings in the reply to the owner's command `status`. The key is the name of a field, for example
  /// `model`.
  package var fields: [String: String] {
    guard !isRunning, let report else { return ["settings": isRunning ? "asking" : "waiting"] }
    guard report.receiver != nil else { return ["settings": "unanswered"] }
    var fields: [String: String] = [:]
    fields["model"] = report.model
    fields["settings"] = report.notApplied.isEmpty ? "applied" : report.applied.isEmpty ? "refused" : "partly"
    for (name, outcome) in ConfigurationReport.names where outcome != .applied {
      let settings = report.list(outcome, of: settings)
      if !settings.isEmpty { fields["settings-\(name)"] = settings.joined(separator: ",") }
    }
    return fields
  }
}

extension ConfigurationReport {
  fileprivate static let names: [(String, Outcome)] = [
    ("applied", .applied), ("refused", .refused), ("unanswered", .unanswered),
  ]

  fileprivate func list(_ outcome: Outcome, of settings: ReceiverSettings) -> [String] {
    entries.filter { $0.outcome == outcome }.map { settings.name(of: $0.setting) }
  }
}
