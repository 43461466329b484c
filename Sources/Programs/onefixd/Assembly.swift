import Authorization
import Base
import Cloaking
import Configuration
import Decoding
import Disclosure
import Features
import Gateway
import Glibc
import Hardware
import LineProtocol
import Logging
import NIOCore
import NIOPosix
import OneFixClient
import OperatingSystem
import Ports
import Serving
import StateStore

/// Creates the objects of the daemon from the command line and the configuration, and connects them.
struct Assembly: Sendable {
  private let options: Daemon
  private let board: Board
  private let configuration: GatewayConfiguration
  private let receiver: ReceiverSpec
  private let features: [any Feature]
  private let subject: Subject
  private let log: LogOutput
  private let logger = Assembly.logger(.gateway)

  /// Reads the configuration.
  /// - Throws: `ConfigurationError` with all errors, each with its file and line.
  init(_ options: Daemon, _ log: LogOutput) throws {
    self.options = options
    self.log = log
    let selection = try Selection(options.selection, socket: options.socket)
    board = selection.board
    configuration = selection.configuration
    receiver = selection.receiver
    features = selection.features
    var subject = selection.subject
    if !board.isSimulated { subject.stateFiles = options.files.files(for: subject) }
    self.subject = subject
  }

  private static func logger(_ subsystem: Subsystem) -> Logger { Logger(label: subsystem.rawValue) }

  /// The log levels. Levels of the command line have precedence over levels of the configuration.
  private var levels: LogLevels { options.logLevel?.overriding(configuration.log) ?? configuration.log }

  /// Runs the daemon until a signal stops it.
  func run(_ signals: Signals) async throws {
    log.levels = levels
    let (warnings, closedPorts) = try check()
    let openFiles = try OpenFiles(features)
    // The first press must not wait for the texts of its question.
    Texts.prepare()
    if configuration.realtime.locksMemory { MemoryLock.lock(logger) }
    let parts = RunningParts(configuration, anyAppUID: anyAppUID)
    let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let setup = try setup(warnings, parts, loops)
    try StateStore.makeDirectory(statePath)
    let key = try keyLocation.keyOrNewOne(for: statePath, anchorPath)
    let store = try StateStore(
      directory: statePath, key: key, anchor: anchorPath, boot: SystemClock.boot, now: SystemClock.reading)
    if options.renewAnchor { try store.renewAnchor(now: SystemClock.reading) }
    for entry in store.lostDisclosures {
      logger.notice("the outcome of a disclosure is unknown because the daemon ended", metadata: ["entry": "\(entry)"])
    }
    try store.adoptCopy(copyPath, now: SystemClock.reading)
    let cloak = cloak(key, store)
    let gateway = try Gateway(
      setup, store: store, copyPath: copyPath, cloak: cloak, eventLoop: loops.next(), loggers: Loggers(Self.logger))
    let daemon = DaemonContext(
      gateway: gateway, configuration: configuration,
      ownerPath: OneFixClient.Endpoint.ownerPath(beside: socketPath), clientLimit: openFiles.listener,
      admission: AdmissionControl(), closedPorts: closedPorts, ready: OneTimeEvent())
    try parts.create(features, in: daemon)
    let panel =
      options.panel && board.isSimulated
      ? PanelService(gateway: gateway, offersPoints: options.panelPoints) : nil
    var services: [any Service] = [
      BoardService(gateway: gateway),
      SocketService(daemon, parts, path: socketPath, openFiles, after: panel?.hasCleared),
    ]
    if let watchdog = Watchdog.requested {
      services.append(WatchdogService(watchdog: watchdog, gateway: gateway, logger: logger))
    }
    services += parts.features.flatMap(\.services)
    if let panel { services.append(panel) }
    services += [StopNotifier(), ReloadService(gateway: gateway, signals: signals)] as [any Service]
    try await Services(services: services).run(until: signals.stops)
    if panel?.wantsPoints == true { throw ExitStatus(4) }
  }

  /// Verifies the disclosure log (the log of fixes sent to apps), and prints the result. The anchor, a separate file
  /// about the end of the log, shows whether entries were removed.
  /// - Returns: Whether the log and the authorizations are unchanged.
  func verifyLog() throws -> Bool {
    let key = try keyLocation.key()
    try StateStore.requireDatabase(in: statePath)
    let store = try StateStore(
      directory: statePath, key: key, anchor: anchorPath, boot: SystemClock.boot, now: SystemClock.reading)
    for fault in store.stateFaults { print(fault) }
    let verification = try store.verifyLog()
    for fault in verification.faults { print(fault) }
    let range = verification.range.map { ", #\($0.lowerBound) to #\($0.upperBound)" } ?? ""
    let isGood = verification.isGood && store.stateFaults.isEmpty
    print("\(isGood ? "good" : "broken"): \(verification.count) entries\(range)")
    return isGood
  }

  /// Checks the board and the machine, as `onefixd check` does, and logs the warnings.
  /// - Parameter isStart: True at the start of the daemon, false for a reload of the configuration.
  /// - Returns: The codes of the warnings, and the problems that keep a serial port closed.
  /// - Throws: `MachineRefusal` if other users could bypass the authorizations, or if a restart of the machine would
  ///   undo a decision of the user.
  private func check(isStart: Bool = true) throws -> (warnings: [String], closedPorts: [Finding]) {
    var machine: Machine?
    if subject.needsMachine {
      // The receiver is not probed, because the daemon opens the receiver after the checks.
      let reader = MachineReader(probe: { _, _ in .notProbed })
      machine = reader.machine(for: subject, user: reader.ownUser)
    }
    let refusals = machine.map { subject.refusals(on: $0) } ?? []
    guard refusals.isEmpty else { throw MachineRefusal(findings: refusals) }
    let closedPorts = machine.map { subject.closedPorts(on: $0) } ?? []
    let found = subject.warnings(on: machine)
    for finding in closedPorts {
      logger.error(
        "\(isStart ? "a port stays closed until the next start: " : "")\(finding.message)", metadata: finding.metadata)
    }
    for finding in found { logger.warning("\(finding.message)", metadata: finding.metadata) }
    return ((found + closedPorts).statusCodes, closedPorts)
  }

  private func setup(
    _ warnings: [String], _ parts: RunningParts, _ loops: any EventLoopGroup
  ) throws -> GatewayDependencies {
    let hardware = try BoardHardware(board, realtime: configuration.realtime, logger: Self.logger(.button))
    let requiresChecksum = board.receiverOptions.requiresChecksum ?? true
    let mayWrite = board.receiverOptions.isConfigured ?? true
    let source = try receiver.source(
      on: loops, requiresChecksum: requiresChecksum, wakeUp: mayWrite ? WakeUp.bytes : [])
    var setup = GatewayDependencies(
      names: (configuration.gateway, board.name, Release.version, SystemClock.boot),
      buttons: hardware.buttons,
      light: (hardware.indicator, board.indicator ?? IndicatorProfile()),
      receiver: .init(
        source, setup: board.receiverOptions.settings(port: source.receiverPort).map { ReceiverSetup($0) },
        requiresChecksum: requiresChecksum, servesUnmeasured: board.receiverOptions.servesUnmeasured ?? false,
        power: hardware.receiverPower),
      simulatedPressRefusal: simulatedPressRefusal)
    setup.clocks = features.compactMap { $0.clockOutput(of: receiver, source.commandPort) }
    setup.policy = policy
    setup.reload = { try self.reconfiguration(parts) }
    setup.pageLink = { parts.pageLink }
    setup.allowsRegions = configuration.allowsRegions
    setup.isWallClockSet = SystemClock.isWallClockSet
    setup.warnings = warnings
    setup.buzzer = features.lazy.compactMap(\.buzzer).first
    setup.metrics = { [log] in log.families + Self.connectionFamilies }
    setup.tellStatus = Self.tellStatus
    return setup
  }

  /// The function that sends a status text to the service manager; nil if no service manager has started the daemon.
  private static var tellStatus: (@Sendable (String) -> Bool)? {
    let manager = ServiceManager.own
    guard manager.isAvailable else { return nil }
    return { line in manager.notify("STATUS=\(line)") }
  }

  private var policy: Policy {
    var policy = Policy()
    policy.authorization = authorization
    policy.language = configuration.language
    policy.hasPromptDisplay = configuration.hasPromptDisplay
    policy.display = features.lazy.compactMap(\.display).first
    policy.appNames = configuration.appNames
    policy.keyedApps = Set(configuration.apps.filter(\.hasKey).map(\.id))
    policy.appsWithoutUser = Set(configuration.apps.filter(\.isWithoutUser).map(\.id))
    policy.logRetention = configuration.logRetention
    return policy
  }

  /// The reason why simulated presses are refused; nil if simulated presses are permitted. An option of the command
  /// line, or a simulated or recorded position, permits simulated presses.
  private var simulatedPressRefusal: String? {
    receiver.isLive && !options.allowSimulatedPress
      ? "cannot press the simulated button: the receiver is real (start onefixd with --allow-simulated-press)" : nil
  }

  private var authorization: Authorization.Configuration {
    var result = Authorization.Configuration()
    result.pressServesAll = configuration.pressServes == .all
    result.armTimeout = configuration.armTimeout
    result.defaultAccuracy = configuration.defaultAccuracy
    for app in configuration.apps {
      result.newAppAccuracy[app.id] = app.accuracy
      if app.isRestricted { result.restrictedApps.insert(app.id) }
      if app.surface == .display { result.displays.insert(app.id) }
    }
    for button in board.buttons {
      result.doublePress[button.name] = button.usableDoublePress
      result.boundApps[button.name] = button.apps.map { Set($0.compactMap { AppID($0) }) }
    }
    result.hasButtonForAllApps = board.buttons.contains { $0.apps == nil }
    return result
  }

  /// The user ID whose processes may act as any app. On a simulated board without a real receiver, the value is the
  /// user of the daemon; otherwise nil.
  private var anyAppUID: UInt32? { board.isSimulated && !receiver.isLive ? getuid() : nil }

  private static var connectionFamilies: [MetricFamily] {
    [
      .counter("onefix_dropped_updates", "Fixes of updates that gave way to newer ones in a queue.")
        .with(Connection.droppedUpdates.count),
      .counter("onefix_slow_consumers", "Connections that were closed because their client did not read.")
        .with(Connection.slowConsumers.count),
    ]
  }

  /// Reads the configuration again, with the options of the command line at the start. After an error, the former
  /// configuration stays in use.
  /// - Throws: `ConfigurationError` with all errors, or `MachineRefusal`.
  private func reconfiguration(_ parts: RunningParts) throws -> Reconfiguration {
    // A change of the board takes effect only at the next start of the daemon.
    var options = options
    options.selection.board = board.name
    let new = try Assembly(options, log)
    // A reload of a file that an editor or a full disk has emptied would revoke the keys of all apps.
    if new.configuration.isEmpty, let file = new.configuration.file {
      let message = "the file is empty (restore it; to remove every app, leave a comment in it)"
      throw ConfigurationError([Diagnostic(file: file, message: message)])
    }
    // The next start must be able to use the board that the configuration now names.
    if self.options.selection.board == nil, new.configuration.board?.name != board.name {
      _ = try Selection(self.options.selection, socket: options.socket)
    }
    _ = try new.check(isStart: false)
    return Reconfiguration(
      policy: new.policy, waiting: configuration.fixed.differences(from: new.configuration.fixed),
      admits: { parts.admits($0, $1, over: $2) },
      putInForce: {
        parts.change(to: new.configuration, anyAppUID: new.anyAppUID)
        log.levels = new.levels
      })
  }

  /// Returns the cloak (the object that computes approximate positions), or the reason why the cloak cannot be used.
  ///
  /// The cloak saves its results, so that an exact position always gives the same approximate one. If the saved results
  /// cannot be read, the cloak is not used, because new results would reveal more.
  private func cloak(_ key: DeviceKey, _ store: StateStore) -> CloakState {
    do {
      let derived = try CloakKey(deviceKey: key.derive("cloak").bytes)
      var memory = Cloak.Memory()
      if let bytes = try store.unseal(DisclosureGate.memoryName) {
        guard let saved = Cloak.Memory(encoded: bytes) else {
          throw CloakUnavailable("the cloak's memory cannot be read; restore the state from a backup")
        }
        memory = saved
      }
      return .success(
        Cloak(key: derived, memory: memory, boot: SystemClock.boot, coarsensTravel: configuration.coarsensTravel))
    } catch {
      logger.error("cannot disclose reduced fixes", metadata: ["cause": "\(error)"])
      return .failure(CloakUnavailable("\(error)"))
    }
  }

  private var keyLocation: KeyLocation { options.files.keyLocation(for: subject) }
  private var anchorPath: String { options.files.anchor ?? keyLocation.anchor }
  private var statePath: String { options.files.directory }

  /// The path of the file in the runtime directory for changes that could not be saved.
  private var copyPath: String { Selection.copyPath(beside: socketPath) }

  private var socketPath: String { Selection.socketPath(options.socket) }
}

extension Finding {
  fileprivate var metadata: Logger.Metadata {
    ["code": "\(code)", "place": "\(location)", "remedy": "\(remedy ?? "none known")"]
  }
}
