import Clocks
import UBX

/// What a receiver says beside its epochs.
enum ReceiverMessage: Hashable, Sendable {
  case frame(UBXIdentifier, [UInt8])
  /// It has just been started.
  case started
}

/// When a receiver is configured, and when again: it keeps its settings in its memory, and has its own when it restarts.
///
/// It is configured when its port is open and its speed is known; again when it says that it was started, when it speaks
/// after a silence, and when its port was lost and opened again. One that restarts while it is configured is configured
/// anew when that is over, but not for ever. A pure value: what happened and the time in, bytes to send out.
struct ReceiverSetup {
  /// Of one receiver that restarts again and again, within a minute.
  static let mostRuns = 3
  static let runsWithin: Duration = .seconds(60)

  enum News: Hashable {
    /// What became of every setting.
    case finished(ConfigurationReport)
    /// It restarts so often that it is left as it is for now. Told once within `runsWithin`.
    case restless
  }

  private enum Phase {
    case closed
    /// Until it says something: its speed is not known, or it is not there at all.
    case waiting
    case running
    case done
  }

  private var configurator: Configurator
  private var phase = Phase.closed
  private var hasSpoken = false
  private var hasRestarted = false
  private var runs: [MonotonicInstant] = []
  private var toldRestless: MonotonicInstant?
  private var news: News?
  /// What became of the settings last; nil while they were never asked for.
  private(set) var report: ConfigurationReport?

  init(_ settings: ReceiverSettings) {
    configurator = Configurator(settings)
  }

  var settings: ReceiverSettings { configurator.settings }

  var isRunning: Bool { phase == .running }

  /// When to call `timePassed` if nothing happens before; nil while nothing is waited for.
  var nextDeadline: MonotonicInstant? { isRunning ? configurator.nextDeadline : nil }

  mutating func takeNews() -> News? {
    defer { news = nil }
    return news
  }

  // MARK: Events

  mutating func opened(isSpeedKnown: Bool, at now: MonotonicInstant) -> [UInt8] {
    (runs, toldRestless) = ([], nil)
    hasSpoken = false
    phase = .waiting
    return isSpeedKnown ? start(at: now) : []
  }

  mutating func lost() {
    phase = .closed
  }

  /// Bytes have come: the receiver's speed is known.
  mutating func spoke(at now: MonotonicInstant) -> [UInt8] {
    hasSpoken = true
    return phase == .waiting ? start(at: now) : []
  }

  /// Nothing has come for long: when it speaks again, it may be another one.
  mutating func fellSilent() {
    if phase == .done { phase = .waiting }
  }

  mutating func receive(_ message: ReceiverMessage, at now: MonotonicInstant) -> [UInt8] {
    switch (message, phase) {
    case (_, .closed), (_, .waiting), (.frame, .done): return []
    case (.started, .done): return start(at: now)
    case (.started, .running):
      hasRestarted = true
      return []
    case (.frame(let identifier, let payload), .running):
      let bytes = configurator.receive(identifier, payload.span, at: now)
      return bytes + finishIfDone(at: now)
    }
  }

  mutating func timePassed(at now: MonotonicInstant) -> [UInt8] {
    guard isRunning else { return [] }
    let bytes = configurator.timePassed(at: now)
    return bytes + finishIfDone(at: now)
  }

  // MARK: Runs

  private mutating func start(at now: MonotonicInstant) -> [UInt8] {
    runs.removeAll { now - $0 >= Self.runsWithin }
    hasRestarted = false
    guard runs.count < Self.mostRuns else {
      phase = .done
      if let toldRestless, now - toldRestless < Self.runsWithin { return [] }
      toldRestless = now
      news = .restless
      return []
    }
    runs.append(now)
    phase = .running
    return configurator.start(at: now)
  }

  private mutating func finishIfDone(at now: MonotonicInstant) -> [UInt8] {
    guard configurator.isFinished else { return [] }
    report = configurator.report
    if hasRestarted { return start(at: now) }
    news = .finished(configurator.report)
    // One that was not there is asked when it is.
    phase = configurator.report.version == nil && !hasSpoken ? .waiting : .done
    return []
  }
}
