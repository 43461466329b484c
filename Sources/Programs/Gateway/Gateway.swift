import Authorization
package import Clocks
package import Disclosure
package import Hardware
import LineProtocol
import Logging
package import NIOCore
import OperatingSystem
package import Ports
package import StateStore
package import Telemetry

/// The gateway: takes inputs one after the other, reads the clock for each, and rings when a part has a deadline. All state
/// is in the parts behind the router.
///
/// An actor on an event loop of its own: the store may block it without holding up any socket.
package actor Gateway {
  package nonisolated let dependencies: GatewayDependencies
  package nonisolated let keyring = Keyring()
  nonisolated let limiter = CommandLimiter()
  nonisolated let eventLoop: any EventLoop
  private nonisolated let clock: @Sendable () -> ClockReading
  private nonisolated let supplyStates: AsyncStream<Bool>
  private(set) var router: Router
  private var alarm = Alarm()
  var board = Board()
  /// The simulated presses that wait for their outcome.
  private var presses: [PressResult] = []
  private var watchers: [ObjectIdentifier: Watcher] = [:]

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe eventLoop.executor.asUnownedSerialExecutor()
  }

  /// - Parameter store: opened; the gateway closes it when it stops.
  /// - Throws: `StoreError` if the state cannot be read.
  package init(
    _ dependencies: GatewayDependencies, store: sending StateStore, cloak: CloakState,
    eventLoop: any EventLoop, loggers: Loggers, clock: @escaping @Sendable () -> ClockReading = { SystemClock.reading }
  ) throws {
    self.dependencies = dependencies
    self.eventLoop = eventLoop
    self.clock = clock
    let (states, state) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    supplyStates = states
    router = Router(
      dependencies, try StoredState(store, cloak, dependencies, at: clock()),
      supply: dependencies.receiverPower.map { ReceiverSupply($0, state: state) }, loggers: loggers, keyring: keyring,
      clock: clock)
  }

  // MARK: Inputs

  /// Handles an input, settles, performs the effects, and sets the alarm.
  @discardableResult
  func submit<Result>(_ input: (inout Router, ClockReading) throws -> Result) rethrows -> Result {
    let now = clock()
    defer {
      for effect in router.finish(at: now) { perform(effect) }
      alarm.set(router.nextDeadline(after: now.monotonic)?.time, on: self)
      for watcher in watchers.values { watcher.notify() }
    }
    return try input(&router, now)
  }

  private func perform(_ effect: GatewayEffect) {
    switch effect {
    case .sendToReceiver(let bytes): board.outgoing?.yield(bytes)
    case .receiverSwitchedOff: board.reading?.cancel()
    case .becameReady: board.announce(isReady: router.buttons.areReady)
    case .actEnded(let outcome, let release): for press in presses { (press.outcome, press.release) = (outcome, release) }
    }
  }

  /// The alarm rings.
  fileprivate func ring() {
    alarm.clear()
    submit { router, now in router.pass(to: now) }
    let now = clock().monotonic
    let next = router.nextDeadline(after: now)
    guard alarm.isOverdue(next?.time, at: now) else { return }
    if alarm.isNewFault {
      let details = ["deadline": next?.of ?? "", "remedy": "this is a fault of this program: please report it"]
      router.loggers.log(
        LogMessage(.gateway, .error, "a deadline stays in the past, and is put off by a second again and again", details))
    }
    // Deadlines ahead are kept.
    let ahead = router.nextDeadline(after: now, isAhead: true)?.time
    alarm.set(min(now + OverdueTimerGuard.pause, ahead ?? now + OverdueTimerGuard.pause), on: self)
  }

  /// Ends the gateway: the light goes off, and the store is closed.
  package func stop() {
    alarm.set(nil, on: self)
    let now = clock()
    router.stop(at: now)
    for watcher in watchers.values { watcher.finish() }
  }

  // MARK: The board

  /// Runs the board, the receiver and the buttons, until the surrounding task is cancelled.
  /// - Throws: `HardwareError` if a device cannot be opened at the start.
  package func run() async throws {
    if dependencies.receiverSetup != nil, dependencies.receiver.commandPort == nil {
      router.loggers.log(ReceiverControl.unsentSettings(dependencies.receiver.name))
    }
    // With a switched supply, the receiver is opened when a fix is needed.
    if router.control.hasSupply { board.wasReceiverOpen = true }
    submit { router, now in router.passOutbox(at: now) }
    do {
      // The tasks of ports and buttons run on the gateway's event loop: no data changes threads.
      try await withTaskExecutorPreference(LoopExecutor(eventLoop)) { try await runBoard() }
    } catch {
      board.fail(error)
      throw error
    }
  }

  private func runBoard() async throws {
    try await withThrowingTaskGroup { group in
      for button in dependencies.buttons { group.addTask { try await self.follow(button) } }
      group.addTask {
        if self.dependencies.receiverPower == nil { try await self.receive() } else { try await self.receiveWhileSupplied() }
      }
      group.addTask { await self.maintainLog() }
      // The first task that fails ends the others.
      for try await _ in group {}
    }
  }

  /// Returns when the board is ready: the receiver's port is open, and the level of every button is known.
  package func becomeReady() async throws {
    try await withCheckedThrowingContinuation {
      board.waiting.append($0)
      board.announce(isReady: router.buttons.areReady)
    }
  }

  /// Reads a button until the surrounding task is cancelled. A button that has gone is tried again until it is back.
  /// - Throws: `HardwareError` if its line cannot be requested at the start.
  private func follow(_ button: GatewayDependencies.Button) async throws {
    let name = button.profile.name
    while !Task.isCancelled {
      do {
        try await button.input.run { event in await self.handle(.event(event, of: name)) }
        return
      } catch is CancellationError {
        return
      } catch {
        guard router.buttons.isReady(name) else { throw error }
        handle(.absent(name, cause: "\(error)"))
      }
      try await SystemClock.sleep(until: SystemClock.monotonic + Board.retryTime)
    }
  }

  private func handle(_ input: Buttons.Input) {
    submit { router, now in router.perform(router.buttons.handle(input, at: now.monotonic), at: now) }
  }

  /// Reads the receiver, for as long as it has a supply.
  private func receiveWhileSupplied() async throws {
    for await _ in supplyStates {
      // The state may have changed since.
      guard router.control.isOn else { continue }
      let reading = Task { try await receive() }
      board.reading = reading
      do {
        try await withTaskCancellationHandler {
          try await reading.value
        } onCancel: {
          reading.cancel()
        }
      } catch is CancellationError {
        // The supply was switched off.
      }
    }
  }

  /// Reads the receiver's port, and opens it again after it was lost.
  /// - Throws: `HardwareError` if the port cannot be opened at the start.
  private func receive() async throws {
    while !Task.isCancelled {
      do {
        switch dependencies.receiver {
        case .bytes(let port): try await read(port)
        case .epochs(let port):
          try await port.run(opened: { await self.receiverOpened() }, { epoch in await self.receive(.epoch(epoch)) })
        }
        try Task.checkCancellation()
        receiverLost("\(dependencies.receiver.name) has ended")
        // A live port may come back; the end of a recording is final.
        guard dependencies.receiver.isLive else { return try await sleepUntilCancelled() }
      } catch is CancellationError {
        return
      } catch {
        guard board.wasReceiverOpen else { throw error }
        receiverLost("\(error)")
      }
      try await SystemClock.sleep(until: SystemClock.monotonic + Board.retryTime)
    }
  }

  /// Reads a port of bytes. Commands are sent beside the reading, and never hold it up.
  private func read(_ port: any BytePort) async throws {
    let (commands, outgoing) = AsyncStream.makeStream(of: [UInt8].self)
    board.outgoing = outgoing
    // Ends with this function, at the latest.
    async let _: Void = send(commands)
    defer {
      outgoing.finish()
      board.outgoing = nil
    }
    try await port.run(
      opened: { await self.receiverOpened() },
      { bytes, arrived in await self.receive(.bytes(bytes, at: arrived)) })
  }

  /// Sends commands to the receiver in their order.
  private func send(_ commands: AsyncStream<[UInt8]>) async {
    guard let port = dependencies.receiver.commandPort else { return }
    var isReported = false
    for await bytes in commands {
      do { try await port.send(bytes) } catch {
        // The command is repeated, and in the end counted as unanswered.
        if !isReported {
          router.loggers.log(
            LogMessage(.receiver, .warning, "cannot send a command to the receiver", ["cause": "\(error)"]))
        }
        isReported = true
      }
    }
  }

  func receiverOpened() {
    board.wasReceiverOpen = true
    let isSpeedKnown = dependencies.receiver.commandPort?.isSpeedKnown ?? false
    submit { router, now in router.openReceiver(isSpeedKnown: isSpeedKnown, at: now) }
  }

  private func receiverLost(_ cause: String) {
    submit { router, now in router.loseReceiver(cause: cause, at: now) }
  }

  func receive(_ data: ReceiverData) { submit { router, now in router.receive(data, at: now) } }

  private func sleepUntilCancelled() async throws {
    while true { try await Task.sleep(for: .seconds(86_400)) }
  }

  // MARK: The log

  private static let maintenancePeriod: Duration = .seconds(3600)

  /// Verifies the log, and maintains it hourly, until the surrounding task is cancelled.
  private func maintainLog() async {
    do {
      while true {
        try await maintainLogOnce(verifies: router.log.needsVerification)
        try await SystemClock.sleep(until: SystemClock.monotonic + Self.maintenancePeriod)
      }
    } catch {
      // The task was cancelled.
    }
  }

  /// - Parameter verifies: whether the log is verified first.
  func maintainLogOnce(verifies: Bool) async throws {
    do {
      if verifies { _ = try await verifyLog() }
    } catch let error as StoreError {
      submit { router, now in router.perform(router.log.handle(.unreadable(error), at: now.monotonic), at: now) }
    }
    submit { router, now in router.maintainLog(at: now) }
  }

  /// Verifies the log. Other work has a turn again and again.
  func verifyLog() async throws -> LogVerification {
    var verifier = try router.log.beginVerification()
    while try router.log.continueVerification(&verifier) {
      await Task.yield()
      try Task.checkCancellation()
    }
    let verification = verifier.result
    submit { router, now in router.perform(router.log.handle(.verified(verification), at: now.monotonic), at: now) }
    return verification
  }

  // MARK: The daemon

  /// Returns when the gateway has handled the inputs before: a sign of life.
  package func answer() {}

  /// The readers of the board's devices, with names for the owner.
  package nonisolated var readers: [(name: String, reader: any DeviceReader)] {
    dependencies.buttons.map { ("button \($0.profile.name)", $0.input) } + [("receiver", dependencies.receiver.reader)]
  }

  /// The status line. From now on changes are reported to the service manager.
  package func currentStatus() -> String {
    submit { router, now in
      let line = router.statusLine(at: now.monotonic)
      return router.status.report(line, at: now.monotonic)
    }
  }

  package func metrics() -> Exposition { router.exposition }

  /// Reads the configuration again.
  /// - Returns: the changed keys that apply from the next start only.
  /// - Throws: the fault of the configuration, with its file and line.
  package func reload() throws -> [String] { try submit { router, now in try router.reload(at: now) } }

  /// - Parameter entries: the number of log entries.
  package func snapshot(entries: Int) -> Snapshot { router.snapshot(entries: entries, at: clock()) }

  /// Yields after every input; changes that were not read in time are joined.
  package func changes() -> AsyncStream<Void> {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watcher = Watcher(continuation)
    let id = ObjectIdentifier(watcher)
    watchers[id] = watcher
    continuation.onTermination = { _ in Task { await self.removeWatcher(id) } }
    continuation.yield()
    return changes
  }

  private func removeWatcher(_ id: ObjectIdentifier) { watchers[id] = nil }

  /// The panel of a simulated board shows the texts of prompts, or does not any more.
  package func panelIsDrawn(_ isDrawn: Bool) { submit { router, _ in router.setPanelDrawn(isDrawn) } }

  /// Presses the first simulated button, for a person at the board.
  /// - Throws: `LineError` if there is none, or if it may not be pressed.
  package func pressButton(isHold: Bool = false) async throws { _ = try await press(nil, for: nil, isHold: isHold) }

  /// Presses a simulated button.
  /// - Returns: the outcome, and the instant of the release; nil for a hold.
  /// - Throws: `LineError` if there is none, or if it may not be pressed.
  func press(
    _ name: String?, for length: Duration?, isHold: Bool
  ) async throws -> (outcome: PressOutcome, release: MonotonicInstant?) {
    if let refusal = dependencies.simulatedPressRefusal { throw LineError(.badArgument, refusal) }
    guard let button = dependencies.buttons.first(where: { name == nil || $0.profile.name == name }),
      let press = button.press
    else {
      let known = dependencies.buttons.map(\.profile.name).joined(separator: ", ")
      throw LineError(.badArgument, "there is no simulated button of that name; the board has: \(known)")
    }
    let hold = button.profile.timing.hold + Buttons.transit * 4
    let result = PressResult()
    presses.append(result)
    defer { presses.removeAll { $0 === result } }
    try await press(isHold ? hold : length ?? .milliseconds(100))
    return (result.outcome, result.release)
  }
}

/// The outcome of a simulated press.
private final class PressResult {
  var outcome = PressOutcome.nothing
  var release: MonotonicInstant?
}

/// A reader of `changes`.
private final class Watcher {
  private let continuation: AsyncStream<Void>.Continuation

  init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

  func notify() { continuation.yield() }

  func finish() { continuation.finish() }
}

/// The gateway's alarm: one at a time.
private struct Alarm {
  private var scheduled: Scheduled<Void>?
  private var time: MonotonicInstant?
  private var overdue = OverdueTimerGuard()

  mutating func set(_ next: MonotonicInstant?, on gateway: Gateway) {
    guard next != time else { return }
    scheduled?.cancel()
    scheduled = nil
    time = next
    guard let next else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(0, next.nanoseconds)))
    scheduled = gateway.eventLoop.scheduleTask(deadline: deadline) { [weak gateway] in
      gateway?.assumeIsolated { $0.ring() }
    }
  }

  /// The alarm has rung.
  mutating func clear() { (scheduled, time) = (nil, nil) }

  mutating func isOverdue(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool { overdue.check(next, at: now) }

  var isNewFault: Bool { mutating get { overdue.isNew() } }
}
