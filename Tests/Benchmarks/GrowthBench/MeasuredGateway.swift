import Authorization
import Base
import Cloaking
import ControlledBoard
import Disclosure
import Gateway
import Hardware
import LineProtocol
import Logging
import Ports
import RecordingClients
import SimulatedHardware
import StateStore
import Synchronization
import TemporaryFiles

/// A gateway in this process, whose state is in memory, and whose time, button and receiver a measurement controls.
final class MeasuredGateway: Sendable {
  let clock: BenchClock
  let gateway: Gateway
  let button: SimulatedButton
  let receiver: FedReceiver
  private let folder: TemporaryDirectory
  private let board: Task<Void, any Error>
  private let seconds = Mutex(0)

  /// - Parameters:
  ///   - records: The stored records.
  ///   - spoil: Changes the files of the state, whose folder is the argument, before the start of the gateway.
  ///   - reload: Returns the configuration that the command `RELOAD` reads.
  ///   - started: Receives the duration of the start: the state is opened and read.
  init(
    records: [AppRecord] = [], policy: Policy? = nil, spoil: (String) throws -> Void = { _ in },
    reload: (@Sendable () throws -> Reconfiguration)? = nil, started: (Duration) -> Void = { _ in }
  ) async throws {
    let clock = await BenchClock()
    self.clock = clock
    button = SimulatedButton(clock: clock.passing)
    receiver = FedReceiver(clock)
    folder = try TemporaryDirectory(in: "/dev/shm")
    let state = folder.path("state")
    guard let key = DeviceKey(bytes: Array(repeating: 7, count: 32)) else {
      throw MeasurementFailure(description: "the device key is invalid")
    }
    let stored = try StateStore(directory: state, key: key, now: clock.reading)
    try stored.save(records, now: clock.reading)
    stored.close()
    try spoil(state)
    var dependencies = GatewayDependencies(
      names: ("growth", "simulated", "0", "1"),
      buttons: [.init(profile: ButtonProfile(name: "main"), input: button)],
      light: (SimulatedIndicator(), IndicatorProfile()), receiver: .init(.bytes(receiver)), simulatedPressRefusal: nil)
    (dependencies.policy, dependencies.reload) = (policy ?? Self.policy(of: records), reload)
    dependencies.allowsRegions = true
    var logger = Logger(label: "growth")
    logger.logLevel = .critical
    let cloak = Cloak(key: try CloakKey(deviceKey: Array(repeating: 7, count: 32)), memory: Cloak.Memory(), boot: "1")
    var gateway: Gateway?
    started(
      try await processorTime {
        gateway = try Gateway(
          dependencies, store: try StateStore(directory: state, key: key, now: clock.reading), cloak: .success(cloak),
          eventLoop: clock.eventLoop, loggers: Loggers { [logger] _ in logger }, clock: { clock.reading })
      })
    guard let gateway else { throw MeasurementFailure(description: "the gateway did not start") }
    self.gateway = gateway
    board = Task { try await gateway.run() }
    try await gateway.becomeReady()
  }

  func stop() async {
    board.cancel()
    _ = await board.result
    await gateway.stop()
    await clock.stop()
  }

  /// Runs a measurement with a gateway, and stops the gateway.
  static func with<Result>(
    records: [AppRecord] = [], policy: Policy? = nil, reload: (@Sendable () throws -> Reconfiguration)? = nil,
    _ body: (MeasuredGateway) async throws -> Result
  ) async throws -> Result {
    let gateway = try await MeasuredGateway(records: records, policy: policy, reload: reload)
    do {
      let result = try await body(gateway)
      await gateway.stop()
      return result
    } catch {
      await gateway.stop()
      throw error
    }
  }

  /// The configuration with the apps of these records.
  static func policy(of records: [AppRecord], accuracy: FixAccuracy = .full) -> Policy {
    var policy = Policy()
    for record in records { policy.authorization.newAppAccuracy[record.app] = accuracy }
    return policy
  }

  /// Returns the records of apps with the names `app0`, `app1` and so on.
  static func records(_ count: Int, _ status: AuthorizationStatus) -> [AppRecord] {
    (0..<count).compactMap { number in
      AppID("app\(number)").map { app in
        var record = AppRecord(app: app, status: status)
        record.isButtonConfirmed = true
        return record
      }
    }
  }

  // MARK: Inputs

  /// Opens a session of an app, or the connection of an owner if the app is nil.
  func connect(_ app: AppID?, over transport: Transport = .unix) async throws -> Client {
    let client = Client(app == nil ? .owner : .app, transport)
    let isAdmitted = await gateway.hello(
      Hello(app: app?.name), tag: nil, as: app.map { Identity($0, by: .transport) }, on: client.connection)
    guard isAdmitted else { throw MeasurementFailure(description: "the gateway refused a client") }
    return client
  }

  /// Performs a command. Returns the processor time until the reply.
  @discardableResult
  func perform(_ command: Command, on client: Client) async throws -> Duration {
    client.clear()
    let time = await processorTime { await gateway.perform(command, tag: nil, on: client.connection) }
    try client.requireSuccess(of: command)
    return time
  }

  /// Sends an epoch with a fix to the gateway.
  func sendEpoch() async {
    let second = seconds.withLock { seconds in
      seconds = (seconds + 1) % 60
      return seconds
    }
    await receiver.send(second: second)
  }

  /// Presses the button for a client that waits. Returns the processor time of all work that the release of the button
  /// causes. This work includes the fix.
  func press(for client: Client) async throws -> Duration {
    await clock.pass(.seconds(3))
    try await perform(.requestOnce(OnceRequest(requiresPress: true)), on: client)
    await clock.pass(.seconds(2))
    await sendEpoch()
    button.down()
    await clock.pass(.milliseconds(100))
    client.clear()
    return try await processorTime {
      button.up()
      try await client.fix()
      await gateway.answer()
    }
  }

  /// Returns the longest time for which the gateway handles no other input while the body runs.
  func longestTurn(_ body: () async throws -> Void) async rethrows -> Duration {
    let isOver = Atomic(false)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let probe = Task { [gateway] in
      var longest = Duration.zero
      while !isOver.load(ordering: .relaxed) {
        begin.finish()
        let start = ContinuousClock.now
        await gateway.answer()
        longest = max(longest, .now - start)
      }
      return longest
    }
    for await _ in begun {}
    try await body()
    isOver.store(true, ordering: .relaxed)
    return await probe.value
  }
}

/// A client in this process.
final class Client: Sendable {
  private struct State {
    var errors: [LineError] = []
    var count = 0
    var hasFix = false
    var waiting: CheckedContinuation<Void, any Error>?
  }

  private let state: Received
  let connection: RecordingConnection

  init(_ role: ClientRole, _ transport: Transport) {
    let state = Received()
    self.state = state
    connection = RecordingConnection(IDGenerator.connections.next(), role: role, transport: transport) {
      state.receive($0)
    }
  }

  func clear() { state.clear() }

  /// The number of lines since the last command.
  var lineCount: Int { state.content.withLock { $0.count } }

  func requireSuccess(of command: Command) throws {
    if let error = state.content.withLock({ $0.errors.first }) {
      throw MeasurementFailure(description: "\(command): \(error)")
    }
  }

  /// Waits for a fix after the last command.
  func fix() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let hasFix = state.content.withLock { content in
        if !content.hasFix { content.waiting = continuation }
        return content.hasFix
      }
      if hasFix { continuation.resume() }
    }
  }

  private final class Received: Sendable {
    let content = Mutex(State())

    func clear() { content.withLock { $0 = State() } }

    func receive(_ call: RecordingConnection.Call) {
      content.withLock { content in
        switch call {
        case .line(.error(let error, _, _)), .refuse(let error):
          content.errors.append(error)
          content.waiting?.resume(throwing: MeasurementFailure(description: "\(error)"))
          content.waiting = nil
        case .line: content.count += 1
        case .once:
          content.hasFix = true
          content.waiting?.resume()
          content.waiting = nil
        case .update, .recall: break
        }
      }
    }
  }
}
