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
  /// The address of the gpsd server, and the rules for its clients. Nil if the gpsd server is not configured.
  let gpsd: (SocketAddress, Reloadable<IdentityRules>)?
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
    let (servers, facade, page) = try await bind()
    for port in ports { port.begin() }
    try await withGracefulShutdownHandler {
      var addresses = servers.filter { $0.transport != .unix }.map { " \($0.transport)=\($0.place)" }.joined()
      if let facade { addresses += " gpsd=\(facade.place)" }
      if let page { addresses += " page=\(page.place)" }
      printError("READY socket=\(path)\(addresses)")
      ready.yield()
      let status = await gateway.currentStatus()
      await ServiceManager.own.notifyReliably("READY=1\nSTATUS=\(status)")
      try await withThrowingTaskGroup { tasks in
        let shuttingDown = LineError(.shuttingDown, "the gateway stops")
        for port in ports { tasks.addTask { await port.run(gateway, shuttingDown: shuttingDown) } }
        for server in servers { tasks.addTask { try await server.run(shuttingDown: shuttingDown) } }
        if let page { tasks.addTask { try await page.run(pageService) } }
        if let facade { tasks.addTask { try await facade.run(gateway, shuttingDown: shuttingDown) } }
        for try await _ in tasks {}
      }
    } onGracefulShutdown: {
      for server in servers { server.stop() }
      facade?.stop()
      page?.stop()
      for port in ports { port.stop() }
    }
  }

  /// Binds all listeners. If one listener fails, the function closes the others.
  private func bind() async throws -> (servers: [LineServer], facade: GPSDServer?, page: PageServer?) {
    let listeners =
      [(Listener.owners(path: ownerPath), openFiles.owners), (.apps(path: path, rules), openFiles.apps)]
      + network.map { ($0, openFiles.networkApps) }
    let admission = AdmissionControl()
    var servers: [LineServer] = []
    var server: PageServer?
    do {
      for (listener, limit) in listeners {
        servers.append(
          try await LineServer(
            listener, for: gateway, limit: limit, admission: admission, group: group, logger: logger))
      }
      if let (settings, door) = page {
        server = try await PageServer(port: settings.port, door, group: group, logger: logger)
      }
      guard let (address, rules) = gpsd else { return (servers, nil, server) }
      let facade = try await GPSDServer(
        address, rules, version: Release.version, limit: openFiles.networkApps, group: group, logger: logger)
      return (servers, facade, server)
    } catch {
      for server in servers { await server.abandon() }
      await server?.abandon()
      throw error
    }
  }

  private var pageService: PageService {
    PageService(gateway: .unix(ownerPath), language: language, logger: logger) { [gateway] in await gateway.changes() }
  }

  var ownerPath: String { OneFixClient.Endpoint.ownerPath(beside: path) }
}
