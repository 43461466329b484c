import Base
package import Hardware
import LineProtocol
package import OneFixClient
import OperatingSystem
package import OwnerScreens

/// The console, a command line for owners (administrators) on a serial port or a terminal. The console is a client of
/// the Unix socket for owners.
///
/// If the port fails, the console opens the port again. If the connection to the gateway fails, the console connects
/// again. Neither failure has an effect on the other side.
package actor OwnerConsole {
  package struct Settings: Sendable {
    package var session: ConsoleSession.Settings
    package var gateway: OneFixClient.Endpoint
    /// Whether the console stops after the first session of a user.
    package var endsWithSession: Bool

    package init(session: ConsoleSession.Settings, gateway: OneFixClient.Endpoint, endsWithSession: Bool = false) {
      self.session = session
      self.gateway = gateway
      self.endsWithSession = endsWithSession
    }
  }

  /// An event of the console for the log of the daemon (background service).
  package enum Report: Hashable, Sendable {
    case opened
    /// The port cannot be opened, or the open port has failed. The console will try again.
    case unavailable(HardwareError)
    /// The port is not a terminal of this machine, and no PIN is configured. The console then sends nothing to the
    /// port.
    case withoutPIN
    case begun
    case ended(ConsoleSession.EndReason)
  }

  /// The delays between attempts to open the port, and between attempts to connect to the gateway.
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(30))

  private let settings: Settings
  private let port: any ConsolePort
  private let checkPIN: (@Sendable (String) async -> Bool)?
  private let report: @Sendable (Report) -> Void
  private let sleep: @Sendable (Duration) async throws -> Void
  private var session: ConsoleSession
  private var timer: (deadline: MonotonicInstant, task: Task<Void, Never>)?
  private var portTask: Task<Void, Never>?
  private var client: OwnerClient?
  /// The end of the first attempt to connect to the gateway. Commands wait for the attempt, because a command without a
  /// connection would fail.
  private let connectionAttempt = OneShot<Void>()
  private var failures = 0
  private var lastFailure: HardwareError?
  /// Whether the port has accepted all bytes since the console began to write the last fix.
  private var hasRoom = true

  /// Creates a console on a serial port or a terminal.
  /// - Parameters:
  ///   - settings: The settings of the console.
  ///   - port: The serial port or the terminal.
  ///   - checkPIN: Returns whether a PIN is correct; nil if no PIN is configured. Without a PIN, the console works only
  ///     on a terminal of this machine.
  ///   - report: Handles an event for the log.
  ///   - sleep: Waits for a time between two attempts.
  package init(
    _ settings: Settings, port: any ConsolePort, checkPIN: (@Sendable (String) async -> Bool)? = nil,
    report: @escaping @Sendable (Report) -> Void = { _ in },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.settings = settings
    self.port = port
    self.checkPIN = checkPIN
    self.report = report
    self.sleep = sleep
    session = ConsoleSession(settings.session)
  }

  /// Runs the console until the task is cancelled. If `endsWithSession` is true, the function also returns when the
  /// first session ends.
  package func run() async {
    let port = Task { await runPort() }
    let gateway = Task { await runGateway() }
    portTask = port
    await withTaskCancellationHandler {
      await port.value
    } onCancel: {
      port.cancel()
    }
    gateway.cancel()
    await gateway.value
    timer?.task.cancel()
  }

  // MARK: The port

  private func runPort() async {
    while !Task.isCancelled {
      do {
        try await port.run(
          opened: { reach in await self.opened(reach) },
          { input in
            switch input {
            case .bytes(let bytes): await self.handle(.bytes(bytes))
            case .breakCondition: await self.handle(.breakCondition)
            case .hangUp: await self.handle(.hangUp)
            }
          })
      } catch {
        failed(error)
      }
      if settings.endsWithSession { return }
      await pause(failures)
    }
  }

  private func opened(_ reach: ConsoleLocation) {
    failures = 0
    lastFailure = nil
    let asksPIN = reach == .remote
    // Without a PIN, the console sends no output. The port stays open, so that other programs cannot use the port.
    if asksPIN && checkPIN == nil { return report(.withoutPIN) }
    report(.opened)
    handle(.opened(asksPIN: asksPIN))
  }

  private func failed(_ error: any Error) {
    failures += 1
    let failure =
      error as? HardwareError ?? HardwareError(.failed, "read", port.name, cause: "\(error)")
    // If attempts to open the port fail repeatedly with the same error, the console reports only the first failure.
    if failure != lastFailure, !Task.isCancelled { report(.unavailable(failure)) }
    lastFailure = failure
  }

  // MARK: Fixes

  package var isOpen: Bool { session.isOpen }

  /// Shows a fix after a press of the button, even without any input. The fix must belong to the app that is configured
  /// for the port.
  /// - Returns: Whether the port has accepted the lines of text.
  package func show(fix lines: [String]) -> Bool {
    guard session.isOpen else { return false }
    hasRoom = true
    handle(.fix(lines))
    return hasRoom
  }

  private func pause(_ failures: Int) async {
    try? await sleep(Self.backoff.maximumDelay(after: failures - 1))
  }

  // MARK: The session

  private func handle(_ event: ConsoleSession.Event) {
    for effect in session.handle(event, at: SystemClock.monotonic) {
      switch effect {
      case .write(let bytes):
        guard !port.send(bytes) else { continue }
        hasRoom = false
        handle(.outputFull)
      case .discardUnsent: port.discardUnsent()
      case .checkPIN(let number, let pin): check(pin, number)
      case .perform(let number, let verb): perform(verb, number)
      case .begin: report(.begun)
      case .end(let reason):
        report(.ended(reason))
        if settings.endsWithSession { portTask?.cancel() }
      }
    }
    setTimer()
  }

  /// Starts the timer for the deadline of the session, unless the running timer is due earlier. A timer that is due
  /// before the deadline starts the next timer.
  private func setTimer() {
    guard let deadline = session.deadline else { return }
    if let timer, timer.deadline <= deadline { return }
    timer?.task.cancel()
    let task = Task {
      do { try await SystemClock.sleep(until: deadline) } catch { return }
      timerFired()
    }
    timer = (deadline, task)
  }

  private func timerFired() {
    timer = nil
    handle(.timePassed)
  }

  private func check(_ pin: String, _ number: Int) {
    guard let checkPIN else { return handle(.pinChecked(number, isRight: false)) }
    Task { handle(.pinChecked(number, isRight: await checkPIN(pin))) }
  }

  private func perform(_ verb: OwnerVerb, _ number: Int) {
    Task {
      let (lines, isRefused) = await outcome(of: verb)
      handle(.replied(number, lines, isRefused: isRefused))
    }
  }

  private func outcome(of verb: OwnerVerb) async -> (lines: [String], isRefused: Bool) {
    let language = settings.session.language
    await connectionAttempt.value
    guard let client else { return ([ConsolePhrase.noAnswer.text(in: language)], true) }
    do {
      let gateway = OwnerConnection(client: client, surface: .console)
      let report = try await verb.perform(
        on: gateway, language: language, columns: settings.session.columns - 1)
      await updateApps(from: gateway)
      return (report.lines, false)
    } catch let failure as OwnerFailure {
      return ([failure.text(in: language)], true)
    } catch {
      return ([ConsolePhrase.noAnswer.text(in: language)], true)
    }
  }

  // MARK: The gateway

  private func runGateway() async {
    var wasLost = false
    var failures = 0
    while !Task.isCancelled {
      if let client = try? await OwnerClient.connect(settings.gateway) {
        failures = 0
        await receiveNotifications(client, wasLost: wasLost)
        self.client = nil
        await client.close()
      }
      if Task.isCancelled { break }
      if failures == 0 { handle(.notification(.lost)) }
      wasLost = true
      connectionAttempt.resolve(())
      failures += 1
      await pause(failures)
    }
    connectionAttempt.resolve(())
  }

  private func receiveNotifications(_ client: OwnerClient, wasLost: Bool) async {
    do {
      let messages = try await client.messages(on: OwnerNotification.topics)
      self.client = client
      connectionAttempt.resolve(())
      if wasLost { handle(.notification(.found)) }
      await updateApps(from: OwnerConnection(client: client))
      for try await message in messages {
        guard let notification = OwnerNotification(message) else { continue }
        let session = settings.session
        handle(
          .notification(
            ConsoleNotification(notification, language: session.language, columns: session.columns - 1)))
      }
    } catch {
      // The loop usually ends with an error, because the loss of the connection is an error. The loss needs no report
      // here.
    }
  }

  private func updateApps(from gateway: OwnerConnection) async {
    guard let answer = try? await gateway.perform(.owner(.apps)) else { return }
    handle(.appsUpdated(apps: answer.messages.compactMap { AppMessage(json: $0.json)?.app }))
  }
}
