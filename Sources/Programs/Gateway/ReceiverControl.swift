import Clocks
import Hardware
import Logging
import ReceiverStream
import Telemetry

/// Controls the receiver's settings and supply, and watches the load of its serial line.
struct ReceiverControl {
  enum Input {
    case opened(isSpeedKnown: Bool)
    case lost
    case bytes(Int, arrived: MonotonicInstant)
    case answers([ReceiverMessage])
    /// The numbers of the received sentences, while `needsCounts` is true.
    case counts(SentenceCounts)
    /// The receiver stopped sending.
    case silent
    case need(Bool)
    case timePassed
  }

  private let name: String
  /// The port for commands; nil if the receiver takes no commands.
  private let port: (any CommandPort)?
  /// The code that configures the receiver; nil if the gateway does not configure the receiver.
  private var setup: ReceiverSetup?
  private var supply: ReceiverSupply?
  private var load = LineLoad()
  private var isExpectedLoadChecked = false
  /// Whether a command could not be sent since the port was opened, and the log has the message.
  private var isSendFaultReported = false

  init(_ name: String, _ port: (any CommandPort)?, _ setup: ReceiverSetup?, _ supply: ReceiverSupply?) {
    self.name = name
    self.port = port
    self.setup = port == nil ? nil : setup
    self.supply = supply
  }

  mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .opened(let isSpeedKnown):
      (load, isSendFaultReported) = (LineLoad(), false)
      return configure { $0.open(isSpeedKnown: isSpeedKnown, at: now) }
    case .lost: setup?.lose()
    case .bytes(let count, let arrived):
      return measure(count, at: arrived) + configure { $0.receiveBytes(at: now) }
    case .answers(let answers): return answers.flatMap { answer in configure { $0.receive(answer, at: now) } }
    case .counts(let counts): setup?.receive(counts)
    case .silent: setup?.fallSilent()
    case .need(let isNeeded): return switchSupply(isNeeded, at: now)
    case .timePassed: return configure { $0.pass(to: now) }
    }
    return []
  }

  var needsCounts: Bool { setup?.needsCounts ?? false }

  var nextDeadline: MonotonicInstant? { [setup?.nextDeadline, supply?.retry].compactMap(\.self).min() }

  // MARK: Settings

  private mutating func configure(_ step: (inout ReceiverSetup) -> [UInt8]) -> [Action] {
    guard let wasRunning = setup?.isRunning, let bytes = setup?.apply(step), let setup else { return [] }
    var actions = setup.isRunning && !wasRunning ? checkExpectedLoad(setup) : []
    actions += self.setup?.drainNotices().map { .log(LogMessage($0)) } ?? []
    if !bytes.isEmpty { actions.append(.sendToReceiver(bytes)) }
    return actions
  }

  /// Sends a command. A failed command is not repeated here, because the code that configures the receiver repeats it. If
  /// the repeated command also fails, it counts as unanswered.
  mutating func send(_ command: [UInt8]) -> [Action] {
    do { try port?.send(command) } catch {
      guard !isSendFaultReported else { return [] }
      isSendFaultReported = true
      return [.log(LogMessage(.receiver, .warning, "cannot send a command to the receiver", ["cause": "\(error)"]))]
    }
    return []
  }

  /// Warns once if the settings cause more data than the receiver's serial line can carry.
  private mutating func checkExpectedLoad(_ setup: ReceiverSetup) -> [Action] {
    guard !isExpectedLoadChecked, let capacity = port?.lineCapacity else { return [] }
    isExpectedLoadChecked = true
    guard let expected = setup.expectedBytesPerSecond, expected > Double(capacity) else { return [] }
    return [
      warning("the settings exceed the receiver's line: the receiver will drop sentences", Int(expected), capacity)
    ]
  }

  private mutating func measure(_ count: Int, at arrived: MonotonicInstant) -> [Action] {
    guard let port, load.count(count, at: arrived, capacity: { port.lineCapacity }), let capacity = port.lineCapacity,
      let rate = load.rate
    else { return [] }
    return [warning("the receiver's line is full: the receiver drops sentences", Int(rate), capacity)]
  }

  private func warning(_ text: String, _ rate: Int, _ capacity: Int) -> Action {
    let faster = name.hasPrefix("i2c:") ? "use a bus of 400 kHz, or a UART" : "set a higher baud rate on both sides"
    return .log(
      LogMessage(
        .receiver, .warning, text,
        [
          "bytes-per-second": "\(rate)", "line-carries": "\(capacity)",
          "remedy": "set fewer messages or a lower rate ([receiver] in onefix.toml), or \(faster)",
        ]))
  }

  // MARK: Supply

  private mutating func switchSupply(_ isNeeded: Bool, at now: MonotonicInstant) -> [Action] {
    guard supply?.set(isOn: isNeeded, at: now) == true else { return [] }
    if let fault = supply?.fault {
      return [.log(LogMessage(.receiver, .warning, "cannot switch the receiver's supply", ["cause": fault.cause]))]
    }
    return supply?.isOn == false ? [.switchedOff] : []
  }

  mutating func stop(at now: MonotonicInstant) { _ = supply?.set(isOn: false, at: now) }

  // MARK: State

  /// Whether the receiver is on. Data that arrives after the supply was switched off is not valid.
  var isOn: Bool { supply?.isOn ?? true }

  var hasSupply: Bool { supply != nil }

  /// The kind of the supply's fault, as one word; nil if the supply works.
  var supplyFault: String? { (supply?.fault?.kind).map { "\($0)" } }

  /// The fields of the reply to `STATUS` about the receiver's settings, the load of its serial line, and its silence.
  var fields: [String: String] {
    var fields = setup?.fields ?? [:]
    if load.isSaturated { fields["line"] = "full" }
    if let port, port.wakeUps > 0 { fields["wake-ups"] = "\(port.wakeUps)" }
    return fields
  }

  /// Returns the message that the receiver accepts no settings, although the configuration contains settings.
  static func unsentSettings(_ receiver: String) -> LogMessage {
    LogMessage(
      .receiver, .notice, "the receiver is not configured",
      [
        "cause": "\(receiver) accepts no settings",
        "remedy": "remove rate, messages, constellations and dynamic_model from [receiver], or use uart: or i2c:",
      ])
  }
}

/// The power supply of the receiver, on a board that can switch it. The supply is on only while an app may receive a
/// fix. If the LED uses the same supply, the receiver never runs while the LED is dark.
struct ReceiverSupply {
  private let power: any PowerSwitch
  private(set) var isOn = false
  private(set) var fault: (cause: String, kind: HardwareError.Kind)?
  /// The time of the next attempt to switch the supply; nil if no further attempt is necessary.
  private(set) var retry: MonotonicInstant?
  private let state: AsyncStream<Bool>.Continuation

  static let retryTime: Duration = .seconds(1)

  init(_ power: any PowerSwitch, state: AsyncStream<Bool>.Continuation) {
    self.power = power
    self.state = state
  }

  /// Switches the supply. Returns whether the supply has changed, or the attempt failed for a new cause.
  mutating func set(isOn wanted: Bool, at now: MonotonicInstant) -> Bool {
    guard wanted != isOn else {
      retry = nil
      return false
    }
    guard retry.map({ $0 <= now }) ?? true else { return false }
    do {
      try power.set(isOn: wanted)
      (fault, retry) = (nil, nil)
      isOn = wanted
      state.yield(wanted)
      return true
    } catch {
      let isNew = fault?.cause != "\(error)"
      fault = ("\(error)", (error as? HardwareError)?.kind ?? .failed)
      retry = now + Self.retryTime
      return isNew
    }
  }
}

extension LogMessage {
  init(_ notice: ReceiverNotice) {
    let level: Logger.Level =
      switch notice.severity {
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      }
    self.init(.receiver, level, notice.text, notice.details)
  }
}

extension ReceiverSetup {
  fileprivate mutating func apply<Result>(_ step: (inout ReceiverSetup) -> Result) -> Result { step(&self) }
}
