import Configuration
import GPSDServer
import Gateway
import Languages
import LineProtocol
import Connections
import LineServer
import Ports
import Logging
import NIOCore
import NIOPosix
import OneFixClient
import OwnerPage
import ServiceLifecycle
import Telemetry

/// Runs the gateway with its receiver, buttons, indicator and state, until the daemon stops.
struct BoardService: Service {
  let gateway: Gateway

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { try await gateway.run() }
    } catch is CancellationError {
      // The task is cancelled when the daemon has to stop, so this error needs no report.
    } catch {
      await gateway.stop()
      throw error
    }
    await gateway.stop()
  }
}

/// Notifies the service manager when the daemon begins to stop. The services of the daemon stop in the reverse order of
/// their list. This service must therefore be the last in the list.
struct StopNotifier: Service {
  func run() async throws {
    try await gracefulShutdown()
    await ServiceManager.own.notifyReliably("STOPPING=1")
  }
}

/// Runs the sockets, the network listeners and the serial ports. They start when the board is ready.
struct SocketService: Service {
  let gateway: Gateway
  let path: String
  let rules: Reloadable<IdentityRules>
  let network: [Listener]
  /// A listener for clients that only watch, and the rules that identify these clients.
  typealias Watchers = (dialect: GPSDServer.Dialect, endpoint: GPSDServer.Endpoint, rules: Reloadable<IdentityRules>)

  /// The listeners for clients of gpsd, and for programs that read NMEA sentences.
  let watchers: [Watchers]
  let page: (PageSettings, PageAuthenticator)?
  let language: Language
  let ports: [PortServer]
  let openFiles: OpenFiles
  let group: MultiThreadedEventLoopGroup
  let logger: Logger
  /// Yields when the sockets accept connections.
  let ready: AsyncStream<Void>.Continuation

  func run() async throws {
    try await gateway.becomeReady()
    let (servers, watchServers, page) = try await bind()
    for port in ports { port.begin() }
    try await withGracefulShutdownHandler {
      var addresses = servers.filter { $0.transport != .unix }.map { " \($0.transport)=\($0.address)" }.joined()
      for server in watchServers { addresses += " \(server.transport)=\(server.address)" }
      if let page { addresses += " page=\(page.address)" }
      printError("READY socket=\(path)\(addresses)")
      ready.yield()
      let status = await gateway.currentStatus()
      await ServiceManager.own.notifyReliably("READY=1\nSTATUS=\(status)")
      try await withThrowingTaskGroup { tasks in
        let shuttingDown = LineError(.shuttingDown, "the gateway stops")
        for port in ports { tasks.addTask { await port.run(gateway, shuttingDown: shuttingDown) } }
        for server in servers { tasks.addTask { try await server.run(shuttingDown: shuttingDown) } }
        if let page { tasks.addTask { try await page.run(pageService) } }
        for server in watchServers { tasks.addTask { try await server.run(gateway, shuttingDown: shuttingDown) } }
        for try await _ in tasks {}
      }
    } onGracefulShutdown: {
      for server in servers { server.stop() }
      for server in watchServers { server.stop() }
      page?.stop()
      for port in ports { port.stop() }
    }
  }

  /// Binds all listeners. If one listener fails, the function closes the others.
  private func bind() async throws -> (servers: [LineServer], watchServers: [GPSDServer], page: PageServer?) {
    let listeners =
      [(Listener.owners(path: ownerPath), openFiles.owners), (.apps(path: path, rules), openFiles.apps)]
      + network.map { ($0, openFiles.networkApps) }
    let admission = AdmissionControl()
    var servers: [LineServer] = []
    var watchServers: [GPSDServer] = []
    var pageServer: PageServer?
    do {
      for (listener, limit) in listeners {
        servers.append(
          try await LineServer(
            listener, for: gateway, limit: limit, admission: admission, group: group, logger: logger))
      }
      if let (settings, authenticator) = page {
        pageServer = try await PageServer(port: settings.port, authenticator, group: group, logger: logger)
      }
      for (dialect, endpoint, rules) in watchers {
        watchServers.append(
          try await GPSDServer(
            dialect, on: endpoint, rules, limit: openFiles.networkApps, group: group, logger: logger))
      }
      return (servers, watchServers, pageServer)
    } catch {
      for server in servers { await server.abandon() }
      for server in watchServers { await server.abandon() }
      await pageServer?.abandon()
      throw error
    }
  }

  private var pageService: PageService {
    PageService(gateway: .unix(ownerPath), language: language, logger: logger) { [gateway] in await gateway.changes() }
  }

  var ownerPath: String { OneFixClient.Endpoint.ownerPath(beside: path) }
}
