import Base
import Decoding
import Hardware
import Logging
import OperatingSystem

/// Configures the GNSS receiver, switches its power, and measures the load of its serial port.
struct ReceiverControl {
  private let name: String
  /// The port to which commands are sent; nil if the GNSS receiver takes no commands.
  private let port: (any CommandPort)?
  /// The state machine that configures the GNSS receiver; nil if the gateway does not configure the receiver.
  private var setup: ReceiverSetup?
  private var supply: ReceiverSupply?
  /// The measured byte rate of the GNSS receiver, compared with the capacity of its serial port.
  private var load = LineLoad()
  /// Whether the byte rate of the configured messages was already compared with the capacity of the serial port.
  private var isExpectedLoadChecked = false
  /// Whether an error of a command to the GNSS receiver is already logged since the port was opened.
  private var isSendFaultReported = false

  init(_ name: String, _ port: (any CommandPort)?, _ setup: ReceiverSetup?, _ supply: ReceiverSupply?) {
    self.name = name
    self.port = port
    self.setup = port == nil ? nil : setup
    self.supply = supply
  }

  /// Begins to configure the GNSS receiver after its port was opened.
  /// - Parameter isSpeedKnown: Whether the baud rate is known. If false, the gateway sends commands only after the
  ///   first bytes of the receiver.
  mutating func open(isSpeedKnown: Bool, at now: MonotonicInstant, _ outputs: inout Outputs) {
    (load, isSendFaultReported) = (LineLoad(), false)
    configure(&outputs) { $0.open(isSpeedKnown: isSpeedKnown, at: now) }
  }

  mutating func lose() { setup?.lose() }

  /// Measures the load of the serial port, and continues the configuration of the GNSS receiver.
  /// - Parameters:
  ///   - count: The count of bytes that one read has returned.
  ///   - arrived: The instant at which the bytes arrived.
  mutating func receive(_ count: Int, arrived: MonotonicInstant, at now: MonotonicInstant, _ outputs: inout Outputs) {
    measure(count, at: arrived, &outputs)
    configure(&outputs) { $0.receiveBytes(at: now) }
  }

  /// Handles a message of the GNSS receiver that may be the reply to a command.
  mutating func receive(_ answer: ReceiverMessage, at now: MonotonicInstant, _ outputs: inout Outputs) {
    configure(&outputs) { $0.receive(answer, at: now) }
  }

  /// Passes the counts of received sentences to the configuration of the GNSS receiver. The call is necessary only
  /// while `needsCounts` is true.
  mutating func receive(_ counts: SentenceCounts) { setup?.receive(counts) }

  mutating func fallSilent() { setup?.fallSilent() }

  /// Repeats or gives up each configuration command that the GNSS receiver has not answered in time.
  mutating func pass(to now: MonotonicInstant, _ outputs: inout Outputs) { configure(&outputs) { $0.pass(to: now) } }

  var needsCounts: Bool { setup?.needsCounts ?? false }

  var nextDeadline: MonotonicInstant? { [setup?.nextDeadline, supply?.retry].compactMap(\.self).min() }

  // MARK: Settings

  /// Performs one step of the configuration of the GNSS receiver, and sends the commands of this step.
  private mutating func configure(_ outputs: inout Outputs, _ step: (inout ReceiverSetup) -> [UInt8]) {
    guard let wasRunning = setup?.isRunning, let bytes = setup?.apply(step), let setup else { return }
    if setup.isRunning && !wasRunning { checkExpectedLoad(setup, &outputs) }
    for notice in self.setup?.drainNotices() ?? [] { outputs.log(LogMessage(notice)) }
    if !bytes.isEmpty { send(bytes, &outputs) }
  }

  /// Sends a command to the GNSS receiver, and logs the first error. `pass(to:)` repeats each command without an
  /// answer, so this function does not repeat a failed command.
  private mutating func send(_ command: [UInt8], _ outputs: inout Outputs) {
    do { try port?.send(command) } catch {
      guard !isSendFaultReported else { return }
      isSendFaultReported = true
      outputs.log(.receiver, .warning, "cannot send a command to the receiver", ["cause": "\(error)"])
    }
  }

  /// Logs one warning if the configured messages need more bytes per second than the serial port can carry.
  private mutating func checkExpectedLoad(_ setup: ReceiverSetup, _ outputs: inout Outputs) {
    guard !isExpectedLoadChecked, let capacity = port?.lineCapacity else { return }
    isExpectedLoadChecked = true
    guard let expected = setup.expectedBytesPerSecond, expected > Double(capacity) else { return }
    warn("the settings exceed the receiver's line: the receiver will drop sentences", Int(expected), capacity, &outputs)
  }

  /// Adds received bytes to the measured load, and logs one warning if the serial port is at its capacity.
  private mutating func measure(_ count: Int, at arrived: MonotonicInstant, _ outputs: inout Outputs) {
    guard let port, load.count(count, at: arrived, capacity: { port.lineCapacity }), let capacity = port.lineCapacity,
      let rate = load.rate
    else { return }
    warn("the receiver's line is full: the receiver drops sentences", Int(rate), capacity, &outputs)
  }

  private func warn(_ text: String, _ rate: Int, _ capacity: Int, _ outputs: inout Outputs) {
    let faster = name.hasPrefix("i2c:") ? "use a bus of 400 kHz, or a UART" : "set a higher baud rate on both sides"
    outputs.log(
      .receiver, .warning, text,
      [
        "bytes-per-second": "\(rate)", "line-carries": "\(capacity)",
        "remedy": "set fewer messages or a lower rate ([receiver] in onefix.toml), or \(faster)",
      ])
  }

  // MARK: Supply

  /// Switches the power of the GNSS receiver on if the receiver is needed, and off otherwise.
  mutating func setNeeded(_ isNeeded: Bool, at now: MonotonicInstant, _ outputs: inout Outputs) {
    guard supply?.set(isOn: isNeeded, at: now) == true else { return }
    if let fault = supply?.fault {
      outputs.log(.receiver, .warning, "cannot switch the receiver's supply", ["cause": fault.cause])
    } else if supply?.isOn == false {
      outputs.isReceiverOff = true
    }
  }

  mutating func stop(at now: MonotonicInstant) { _ = supply?.set(isOn: false, at: now) }

  // MARK: State

  /// Whether the power of the GNSS receiver is on. Always true on a board that cannot switch this power.
  var isOn: Bool { supply?.isOn ?? true }

  /// Whether the board can switch the power of the GNSS receiver.
  var hasSupply: Bool { supply != nil }

  /// The kind of error of the power switch of the GNSS receiver, as one word; nil if the switch works.
  var supplyFault: String? { (supply?.fault?.kind).map { "\($0)" } }

  /// The fields about the GNSS receiver in the reply to the command `STATUS`: its settings, a full serial port, and the
  /// count of wake-up commands.
  var fields: [String: String] {
    var fields = setup?.fields ?? [:]
    if load.isSaturated { fields["line"] = "full" }
    if let port, port.wakeUps > 0 { fields["wake-ups"] = "\(port.wakeUps)" }
    return fields
  }

  /// Returns the log message that the GNSS receiver accepts none of the settings in the configuration.
  static func unsentSettings(_ receiver: String) -> LogMessage {
    LogMessage(
      .receiver, .notice, "the receiver is not configured",
      [
        "cause": "\(receiver) accepts no settings",
        "remedy": "remove rate, messages, constellations and dynamic_model from [receiver], or use uart: or i2c:",
      ])
  }
}

/// The power switch of the GNSS receiver. The power is on only while an app may get a fix. If the LED uses the same
/// power, the receiver never runs without the LED.
struct ReceiverSupply {
  private let power: any PowerSwitch
  private(set) var isOn = false
  private(set) var fault: (cause: String, kind: HardwareError.Kind)?
  /// The instant of the next attempt to switch the power; nil if no attempt is necessary.
  private(set) var retry: MonotonicInstant?
  private let state: AsyncStream<Bool>.Continuation

  static let retryTime: Duration = .seconds(1)

  init(_ power: any PowerSwitch, state: AsyncStream<Bool>.Continuation) {
    self.power = power
    self.state = state
  }

  /// Switches the power, unless an attempt has failed less than `retryTime` ago.
  /// - Returns: Whether the power has changed, or the attempt has failed for a new cause.
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
