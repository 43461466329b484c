import Features
import Gateway
import LineProtocol
import Logging
import OperatingSystem
import Ports
import Serving

/// Runs the gateway with its receiver and its buttons until the daemon stops.
struct BoardService: Service {
  let gateway: Gateway

  func run(until stop: OneTimeEvent) async throws {
    do {
      try await stop.cancelling { try await gateway.run() }
    } catch is CancellationError {
      // The task is cancelled when the daemon has to stop, so this error needs no report.
    } catch {
      await gateway.stop()
      throw error
    }
    await gateway.stop()
  }
}

/// Tells the service manager that the daemon begins to stop. Services stop in reverse order, so only the reload service
/// may be behind this service in the list: a reload that runs ends with READY=1, which must come before STOPPING=1.
struct StopNotifier: Service {
  func run(until stop: OneTimeEvent) async {
    await stop.wait()
    await ServiceManager.own.notifyReliably("STOPPING=1")
  }
}

/// Opens and serves the Unix sockets, the other listeners and the serial ports, when the board is ready.
struct SocketService: Service {
  private let daemon: DaemonContext
  private let path: String
  private let rules: Reloadable<IdentityRules>
  private let listeners: [OptionalListener]
  private let ports: [PortServer]
  private let openFiles: OpenFiles
  private let hasCleared: OneTimeEvent?
  private var gateway: Gateway { daemon.gateway }

  /// - Parameters:
  ///   - daemon: The gateway and the configuration.
  ///   - parts: The running features, and the rules that identify apps.
  ///   - path: The path of the Unix socket for apps.
  ///   - openFiles: The maximum counts of connections.
  ///   - hasCleared: The event that the panel has cleared the terminal; nil without a panel. The path of the socket is
  ///     printed after this event, because the panel would remove it.
  init(
    _ daemon: DaemonContext, _ parts: RunningParts, path: String, _ openFiles: OpenFiles,
    after hasCleared: OneTimeEvent?
  ) {
    self.daemon = daemon
    self.path = path
    self.openFiles = openFiles
    self.hasCleared = hasCleared
    rules = parts.rules
    listeners = parts.listeners
    ports = parts.features.flatMap(\.ports)
  }

  func run(until stop: OneTimeEvent) async throws {
    try await gateway.becomeReady()
    await hasCleared?.wait()
    let sockets = try await bind()
    for listener in listeners { await listener.attempt() }
    for port in ports { port.begin() }
    let operation = {
      let open = listeners.flatMap(\.servers).filter { $0.kind != Transport.unix.rawValue }
      printError("READY socket=\(path)" + open.map { " \($0.kind)=\($0.address)" }.joined())
      daemon.ready.occur()
      let status = await gateway.currentStatus()
      await ServiceManager.own.notifyReliably("READY=1\nSTATUS=\(status)")
      try await withThrowingTaskGroup { tasks in
        let shuttingDown = LineError(.shuttingDown, "the gateway stops")
        for port in ports { tasks.addTask { await port.run(gateway, shuttingDown: shuttingDown) } }
        for listener in listeners { tasks.addTask { await listener.run(shuttingDown: shuttingDown) } }
        for socket in sockets {
          tasks.addTask {
            try await socket.run(farewell: { shuttingDown })
            guard !stop.hasOccurred, !Task.isCancelled else { return }
            throw ListenError(
              address: socket.address, cause: "the system closed the socket", remedy: "start the daemon again")
          }
        }
        for try await _ in tasks {}
      }
    }
    try await stop.handle(operation) {
      for socket in sockets { socket.stop() }
      for listener in listeners { listener.stop() }
      for port in ports { port.stop() }
    }
  }

  /// Opens the two Unix sockets that every gateway has: for owners (administrators) and for apps. Both sockets are in a
  /// folder of the gateway. A failure is therefore an error of the machine, and the daemon does not start.
  private func bind() async throws -> [LineServer] {
    let owners = try await server(.owners(path: daemon.ownerPath), limit: openFiles.owners)
    do {
      return [owners, try await server(.apps(path: path, rules), limit: openFiles.apps)]
    } catch {
      await owners.abandon()
      throw error
    }
  }

  private func server(_ listener: Listener, limit: Int) async throws -> LineServer {
    try await LineServer(
      listener, for: gateway, limit: limit, admission: daemon.admission, group: daemon.group,
      logger: daemon.logger(.server))
  }
}
