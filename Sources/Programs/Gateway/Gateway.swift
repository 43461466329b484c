import Authorization
package import Base
package import Disclosure
package import Hardware
import LineProtocol
import Logging
package import NIOCore
package import OperatingSystem
package import Ports
package import StateStore

/// The central state machine of the daemon. The gateway decides which app gets a location, and records each location
/// that is sent.
///
/// The gateway handles one input (an event or a command) at a time, and sets a timer for its next deadline. The actor
/// has its own event loop, so that a slow write to the store does not delay the network connections.
package actor Gateway {
  package nonisolated let dependencies: GatewayDependencies
  package nonisolated let keyring = Keyring()
  nonisolated let limiter = CommandLimiter()
  nonisolated let eventLoop: any EventLoop
  nonisolated let loggers: Loggers
  private nonisolated let clock: @Sendable () -> ClockReading
  private nonisolated let supplyStates: AsyncStream<Bool>
  private(set) var router: Router
  private var alarm = Alarm()
  var board = Board()
  /// The simulated presses and holds (long presses) of buttons whose callers still wait for the result.
  private var presses: [PressResult] = []
  /// The continuations of the streams that `changes()` has returned. The key is the number of the stream.
  private var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
  private var lastWatcher = 0

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe eventLoop.executor.asUnownedSerialExecutor()
  }

  /// Creates the gateway with the saved state in the store.
  /// - Parameters:
  ///   - store: An open store. `stop()` closes the store.
  ///   - copyPath: The path of the file for changes that cannot be saved; nil to write no such file.
  /// - Throws: `StoreError` if the state cannot be read.
  package init(
    _ dependencies: GatewayDependencies, store: sending StateStore, copyPath: String? = nil,
    cloak: CloakState, eventLoop: any EventLoop, loggers: Loggers,
    clock: @escaping @Sendable () -> ClockReading = { SystemClock.reading }
  ) throws {
    self.dependencies = dependencies
    self.eventLoop = eventLoop
    self.loggers = loggers
    self.clock = clock
    let (states, state) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    supplyStates = states
    router = Router(
      dependencies, try StoredState(store, copyPath: copyPath, cloak, dependencies, at: clock()),
      supply: dependencies.receiver.power.map { ReceiverSupply($0, state: state) }, keyring: keyring, clock: clock)
  }

  // MARK: Inputs

  /// Handles one input (an event or a command): runs the closure on the router, performs the outputs of the router, and
  /// sets the timer to the next deadline.
  @discardableResult
  func submit<Result>(_ input: (inout Router, ClockReading) throws -> Result) rethrows -> Result {
    let now = clock()
    defer {
      perform(router.finish(at: now))
      setAlarm(after: now.monotonic)
      for watcher in watchers.values { watcher.yield() }
    }
    router.readClocks(at: now)
    return try input(&router, now)
  }

  private func setAlarm(after now: MonotonicInstant) { alarm.set(router.nextDeadline(after: now)?.time, on: self) }

  /// Performs the effects of one input: writes log messages, stops the reading of the GNSS receiver, and passes results
  /// to waiting callers.
  private func perform(_ outputs: Outputs) {
    for message in outputs.messages { loggers.log(message) }
    if outputs.isReceiverOff { board.reading?.cancel() }
    if outputs.isDeviceReady { board.announce(isReady: router.buttons.areReady) }
    for end in outputs.endedPresses {
      for press in presses where press.button == end.button { press.end = end }
    }
  }

  /// Handles the deadlines that have passed. The timer of the gateway calls this function.
  func ring() {
    alarm.clear()
    submit { router, now in router.pass(to: now) }
    let now = clock().monotonic
    let next = router.nextDeadline(after: now)
    guard alarm.overdue.check(next?.time, at: now) else { return }
    if alarm.overdue.isNew() {
      let details = ["deadline": next?.of ?? "", "remedy": "this is a fault of onefixd: please report it"]
      loggers.log(
        LogMessage(
          .gateway, .error, "a deadline remains in the past; the gateway tries it again each second", details))
    }
    // The alarm is set to the end of a pause, or to the next deadline if that is earlier. The gateway then tries the
    // overdue deadline again.
    let ahead = router.nextDeadline(after: now, isAhead: true)?.time
    alarm.set(nil, on: self)
    alarm.set(min(now + OverdueTimerGuard.pause, ahead ?? now + OverdueTimerGuard.pause), on: self)
  }

  /// Stops the gateway: switches the indicator LED off, and closes the store.
  package func stop() {
    alarm.set(nil, on: self)
    perform(router.stop(at: clock()))
    for watcher in watchers.values { watcher.finish() }
  }

  // MARK: The board

  /// Reads the GNSS receiver and the buttons until the surrounding task is cancelled.
  /// - Throws: `HardwareError` if a device cannot be opened at the start.
  package func run() async throws {
    if dependencies.receiver.setup != nil, dependencies.receiver.source.commandPort == nil {
      loggers.log(ReceiverControl.unsentSettings(dependencies.receiver.source.name))
    }
    // If the receiver's supply can be switched, the receiver is opened only when a fix is needed.
    if router.receiver.hasSupply { board.wasReceiverOpen = true }
    submit { router, now in router.passOutbox(at: now) }
    do {
      // The tasks of ports and buttons run on the gateway's event loop, so that no data moves between threads. With 10
      // apps at 10 Hz, the daemon wakes up 45 times per second instead of 88 times (`Scripts/bench footprint`).
      let reader = BoardReader(gateway: self, supplyStates: supplyStates)
      try await withTaskExecutorPreference(LoopExecutor(eventLoop)) { try await reader.run() }
    } catch {
      board.fail(error)
      throw error
    }
  }

  /// Waits until the serial port of the GNSS receiver is open and the gateway knows the level of every button.
  package func becomeReady() async throws {
    try await withCheckedThrowingContinuation {
      board.waiting.append($0)
      board.announce(isReady: router.buttons.areReady)
    }
  }

  func receive(_ event: EdgeEvent, of button: String) {
    submit { router, now in router.take(event, of: button, at: now) }
  }

  func loseButton(_ button: String, cause: String) {
    submit { router, now in router.loseButton(button, cause: cause, at: now) }
  }

  func receiverOpened() {
    board.wasReceiverOpen = true
    let isSpeedKnown = dependencies.receiver.source.commandPort?.isSpeedKnown ?? false
    submit { router, now in router.openReceiver(isSpeedKnown: isSpeedKnown, at: now) }
  }

  func receiverLost(_ cause: String) { submit { router, now in router.loseReceiver(cause: cause, at: now) } }

  /// Passes data of the GNSS receiver to the gateway. A call on the event loop of the gateway handles the data
  /// immediately. A call on any other thread only schedules the handling.
  nonisolated func take(_ data: ReceiverData) {
    if eventLoop.inEventLoop {
      assumeIsolated { $0.receive(data) }
    } else {
      eventLoop.execute { self.assumeIsolated { $0.receive(data) } }
    }
  }

  func receive(_ data: ReceiverData) {
    let now = clock()
    guard router.receive(data, at: now) else {
      // Most reads return a part of an epoch, which changes the deadlines of the receiver only.
      alarm.advance(to: router.receiver.nextDeadline, on: self)
      alarm.advance(to: router.receiver.nextControlDeadline, on: self)
      return
    }
    submit { router, now in router.advanceReceiver(at: now) }
  }

  /// Lets the gateway handle other events and commands before the caller continues.
  /// - Throws: `CancellationError` if the task was cancelled.
  func yield() async throws {
    await Task.yield()
    try Task.checkCancellation()
  }

  // MARK: The daemon

  /// Returns after the gateway has handled all earlier inputs. The watchdog calls this function to check that the
  /// gateway still works.
  package func answer() {}

  /// The readers of the GNSS receiver and of the buttons, each with a name for messages to owners (administrators).
  package nonisolated var readers: [(name: String, reader: any DeviceReader)] {
    dependencies.buttons.map { ("button \($0.profile.name)", $0.input) } + [
      ("receiver", dependencies.receiver.source.reader)
    ]
  }

  /// Returns the status text (one sentence about the state of the daemon). After this call, the service manager
  /// receives each change of the text.
  package func currentStatus() -> String {
    submit { router, now in
      let line = router.statusLine(at: now)
      return router.status.report(line, at: now.monotonic)
    }
  }

  /// Records that a listener (an address that accepts connections) is open, or closed because of a fault.
  /// - Parameters:
  ///   - listener: The name of the listener.
  ///   - fault: The fault; nil for an open listener.
  package func note(_ listener: String, _ fault: ListenError?) {
    submit { router, now in router.listeners.note(listener, fault, at: now.monotonic, &router.outputs) }
  }

  /// Returns the metrics of the gateway. Only owners (administrators) may read the metrics, because some values depend
  /// on the location.
  package func metrics() -> Exposition { router.exposition }

  /// Reads the configuration again, and uses it from now on.
  /// - Returns: The changed configuration keys that take effect only at the next start.
  /// - Throws: The error in the configuration, with its file and line.
  package func reload() throws -> [String] { try submit { router, now in try router.reload(at: now) } }

  /// Returns the present state of the gateway, for a screen that draws it.
  /// - Parameter entries: The maximum count of entries of the disclosure log (the log of fixes sent to apps).
  package func snapshot(entries: Int) -> Snapshot { router.snapshot(entries: entries, at: clock()) }

  /// Returns a stream with one element after each input (an event or a command) of the gateway. For a slow reader, one
  /// element stands for several inputs.
  package func changes() -> AsyncStream<Void> {
    let (changes, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    lastWatcher += 1
    watchers[lastWatcher] = watcher
    watcher.onTermination = { [number = lastWatcher] _ in Task { await self.removeWatcher(number) } }
    watcher.yield()
    return changes
  }

  private func removeWatcher(_ number: Int) { watchers[number] = nil }

  /// Records whether a person can see the screen of the simulated board. A call without a change does nothing, because
  /// the screen calls this function for each drawing.
  package func panelIsDrawn(_ isDrawn: Bool) {
    guard isDrawn != router.configuration.isPanelDrawn else { return }
    submit { router, _ in router.configuration.isPanelDrawn = isDrawn }
  }

  /// Presses the first simulated button.
  /// - Throws: `LineError` if the board has no such button, or if the press is not allowed.
  package func pressButton(isHold: Bool) async throws { _ = try await press(nil, for: nil, isHold: isHold) }

  /// Ends the pauses of all connected apps. After a prompt (a question to the user) without an answer, its app can
  /// cause no new prompt during a pause.
  /// - Throws: `LineError` if simulated presses of the button are not allowed.
  package func endPauses() throws {
    if let refusal = dependencies.simulatedPressRefusal { throw LineError(.badArgument, refusal) }
    submit { router, now in
      for app in router.authorization.pausedApps(at: now.monotonic) { router.handle(.ordered(.endPause(app)), at: now) }
    }
  }

  /// Presses or holds a simulated button.
  /// - Parameters:
  ///   - name: The name of the button; nil for the first button.
  ///   - length: The duration of the press; nil for 100 ms.
  ///   - isHold: Whether the button is held until its hold time is over.
  /// - Returns: The result of the press; nil if the press had no effect.
  /// - Throws: `LineError` if the board has no such button, or if the press is not allowed.
  func press(_ name: String?, for length: Duration?, isHold: Bool) async throws -> Outputs.PressEnd? {
    if let refusal = dependencies.simulatedPressRefusal { throw LineError(.badArgument, refusal) }
    guard let button = dependencies.buttons.first(where: { name == nil || $0.profile.name == name }),
      let press = button.press
    else {
      let known = dependencies.buttons.map(\.profile.name).joined(separator: ", ")
      throw LineError(.badArgument, "no simulated button has that name (the board has: \(known))")
    }
    // A simulated contact can bounce for 5 ms.
    let hold = button.profile.timing.hold + .milliseconds(20)
    let result = PressResult(of: button.profile.name)
    presses.append(result)
    defer { presses.removeAll { $0 === result } }
    try await press(isHold ? hold : length ?? .milliseconds(100))
    return result.end
  }
}
