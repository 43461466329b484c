import Gateway
import LineProtocol
import LineServer
import Logging
import NIOPosix
import ServiceLifecycle

/// The board: receiver, buttons, indicator and state, until the daemon stops.
struct BoardService: Service {
  let gateway: Gateway

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { try await gateway.run() }
    } catch is CancellationError {
      // That is how it is asked to stop.
    } catch {
      await gateway.stop()
      throw error
    }
    await gateway.stop()
  }
}

/// The sockets of apps and owners, once the board is ready.
struct SocketService: Service {
  let gateway: Gateway
  let path: String
  let rules: IdentityRules
  let openFiles: OpenFiles
  let group: MultiThreadedEventLoopGroup
  let logger: Logger
  /// Told when the sockets can be used.
  let ready: AsyncStream<Void>.Continuation

  func run() async throws {
    try await gateway.becomeReady()
    let owners = try await LineServer(
      path: ownerPath, role: .owner, rules: rules, limit: openFiles.owners, group: group, logger: logger)
    let apps: LineServer
    do {
      apps = try await LineServer(
        path: path, role: .app, rules: rules, limit: openFiles.apps, group: group, logger: logger)
    } catch {
      await owners.abandon()
      throw error
    }
    try await withGracefulShutdownHandler {
      say("READY socket=\(path)")
      ready.yield()
      ServiceManager.notify("READY=1\nSTATUS=serving \(path)")
      try await withThrowingTaskGroup { tasks in
        let shuttingDown = LineError(.shuttingDown, "the gateway stops")
        tasks.addTask { try await owners.run(gateway, shuttingDown: shuttingDown) }
        tasks.addTask { try await apps.run(gateway, shuttingDown: shuttingDown) }
        for try await _ in tasks {}
      }
    } onGracefulShutdown: {
      owners.stop()
      apps.stop()
    }
    ServiceManager.notify("STOPPING=1")
  }

  /// The owners' socket stands beside the apps'.
  var ownerPath: String {
    (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "owner.sock"
  }
}
