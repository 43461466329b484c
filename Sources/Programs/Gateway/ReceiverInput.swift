import Base
import Decoding
import Disclosure
import Hardware
import Logging
import OperatingSystem

/// The GNSS receiver with its settings and its power switch, and the clocks of this machine that get the time of the
/// receiver.
struct ReceiverInput {
  private let name: String
  /// Whether a real receiver measures the position and the time. False for a simulation or a recording.
  private let isLive: Bool
  private let sealed: SealedReceiver
  private var control: ReceiverControl
  /// The end of the time in which data of the GNSS receiver may be from before a suspension of the machine; nil if the
  /// machine was not suspended.
  private var ignoredUntil: MonotonicInstant?
  private var clocks: [any ClockOutput]

  /// The time after a suspension of the machine in which the data of the GNSS receiver is ignored. The kernel may have
  /// kept data from before the suspension.
  private static let ignoredTime: Duration = .seconds(1)

  init(_ dependencies: GatewayDependencies, _ supply: ReceiverSupply?) {
    let (source, setup) = (dependencies.receiver.source, dependencies.receiver.setup)
    (name, isLive) = (source.name, source.isLive)
    sealed = SealedReceiver(
      isLive: isLive, requiresChecksum: dependencies.receiver.requiresChecksum,
      servesUnmeasured: dependencies.receiver.servesUnmeasured, keepsAnswers: source.commandPort != nil && setup != nil)
    control = ReceiverControl(name, source.commandPort, setup, supply)
    clocks = dependencies.clocks
    if supply != nil { sealed.switchOff() }
  }

  // MARK: The port

  mutating func open(isSpeedKnown: Bool, at now: MonotonicInstant, _ outputs: inout Outputs) {
    sealed.open()
    outputs.note(.receiverOpened)
    outputs.isDeviceReady = true
    outputs.log(.receiver, .info, "receiver open", ["receiver": name])
    control.open(isSpeedKnown: isSpeedKnown, at: now, &outputs)
  }

  /// Records that the port of the GNSS receiver has failed, or could not be opened again.
  mutating func lose(cause: String, _ outputs: inout Outputs) {
    let isNew = sealed.condition.state != .absent || sealed.condition.cause != cause
    sealed.lose(cause: cause)
    control.lose()
    guard isNew else { return }
    outputs.note(.receiverLost)
    outputs.count(.receiverLosses)
    outputs.log(.receiver, .warning, "receiver absent", ["cause": cause])
  }

  /// Discards the fix and all other data from before a suspension of the machine. The monotonic clock stops during a
  /// suspension, so the age of this data is unknown.
  mutating func resume(at now: MonotonicInstant) {
    ignoredUntil = now + Self.ignoredTime
    switch sealed.condition.state {
    case .absent, .off: break
    case .starting, .acquiring, .ready: sealed.open()
    }
  }

  /// Passes data of the GNSS receiver to the decoder.
  /// - Returns: Whether the gateway must process the result: an epoch, a reply or a log message.
  mutating func take(_ data: ReceiverData, at now: MonotonicInstant, _ outputs: inout Outputs) -> Bool {
    // The receiver sent this data before its supply was switched off.
    guard control.isOn else { return false }
    if let ignoredUntil, now < ignoredUntil { return false }
    if case .bytes(let bytes, let arrived) = data {
      control.receive(bytes.count, arrived: arrived, at: now, &outputs)
      for index in clocks.indices { clocks[index].receive(bytes.count, arrived: arrived) }
    }
    let hasNews = sealed.consume(data)
    return hasNews || control.needsCounts || !outputs.messages.isEmpty
  }

  /// Processes the next complete epoch (all data of the receiver for one instant), and sends its time to the clocks.
  /// Returns false if there is no complete epoch.
  mutating func advance(at now: ClockReading, _ outputs: inout Outputs) -> Bool {
    guard sealed.advance(today: now.utc.date) else { return false }
    if let time = sealed.time {
      for index in clocks.indices {
        for message in clocks[index].send(time, at: now) { outputs.log(message) }
      }
    }
    if sealed.condition.state == .ready { outputs.note(.firstFix) }
    return true
  }

  /// Processes received messages outside epochs (an epoch is all data for one instant), for example replies to
  /// commands.
  mutating func takeAnswers(at now: MonotonicInstant, _ outputs: inout Outputs) {
    for notice in sealed.drainNotices() { outputs.log(LogMessage(notice)) }
    for answer in sealed.drainReplies() { control.receive(answer, at: now, &outputs) }
    if control.needsCounts { control.receive(sealed.sentenceCounts) }
  }

  /// Records that the GNSS receiver is silent, if no data has arrived before the deadline.
  mutating func pass(to now: MonotonicInstant) {
    if sealed.pass(to: now) { control.fallSilent() }
  }

  /// Handles the passed deadlines of configuration commands to the GNSS receiver.
  mutating func passControl(to now: MonotonicInstant, _ outputs: inout Outputs) { control.pass(to: now, &outputs) }

  /// Switches the power of the GNSS receiver on or off, if the board can switch this power.
  /// - Parameter isNeeded: Whether an app may get a fix soon. The power also stays on if a clock uses the time of the
  ///   receiver.
  mutating func setNeeded(_ isNeeded: Bool, at now: MonotonicInstant, _ outputs: inout Outputs) {
    control.setNeeded(isNeeded || !clocks.isEmpty, at: now, &outputs)
    if outputs.isReceiverOff { sealed.switchOff() }
  }

  mutating func stop(at now: MonotonicInstant) { control.stop(at: now) }

  // MARK: State

  /// The fix of the latest complete epoch (all data of the receiver for one instant); nil if this epoch has no fix.
  var latest: SealedFix? { sealed.latest }
  var condition: ReceiverCondition { sealed.condition }
  var sky: ReceiverSky { sealed.sky }
  var current: ReceiverTotals { sealed.current }
  var totals: ReceiverTotals { sealed.totals }
  var isOn: Bool { control.isOn }
  var hasSupply: Bool { control.hasSupply }
  var supplyFault: String? { control.supplyFault }
  var nextDeadline: MonotonicInstant? { sealed.nextDeadline }
  var nextControlDeadline: MonotonicInstant? { control.nextDeadline }

  /// Returns the present time of a real receiver; nil if the time is unknown, simulated or recorded.
  func liveTime(at now: MonotonicInstant) -> UTCTime? { isLive ? sealed.latest?.utc(at: now) : nil }

  /// Returns the present time of the GNSS receiver, for a comparison with the wall clock. Nil if the time is unknown,
  /// or if the receiver itself sets the wall clock.
  func independentTime(at now: MonotonicInstant) -> UTCTime? { clocks.isEmpty ? sealed.latest?.utc(at: now) : nil }

  /// The fields about the GNSS receiver in the reply to the command `STATUS`: its settings, and the clocks that get its
  /// time.
  var fields: [(key: String, value: String)] {
    control.fields.sorted { $0.key < $1.key } + clocks.flatMap(\.fields).sorted { $0.key < $1.key }
  }

  /// The codes of the warnings for owners (administrators) while an app has an accuracy below `full`. The array has one
  /// code for each clock that gets the time of the GNSS receiver.
  var reducedWarnings: [String] { clocks.map(\.reducedWarning) }

  var clockFamilies: [MetricFamily] { clocks.flatMap(\.families) }
}
