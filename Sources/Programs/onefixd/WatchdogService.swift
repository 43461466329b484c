import Gateway
import Hardware
import Logging
import ServiceLifecycle
import Telemetry

/// Tells the service manager that the daemon lives: its main loop, and what reads buttons and receiver.
struct WatchdogService: Service {
  let watchdog: Watchdog
  let gateway: Gateway
  let logger: Logger

  func run() async throws {
    var parts = [Watchdog.Part("gateway") { [gateway] in await gateway.answer() }]
    for (name, reader) in gateway.readers { parts.append(Watchdog.Part(name) { await reader.answer() }) }
    await cancelWhenGracefulShutdown { [parts] in
      await watchdog.run(
        parts, isAlive: { await ServiceManager.own.insist("WATCHDOG=1") },
        isStuck: { names in
          logger.critical(
            "stuck: the service manager hears nothing until that is over, and starts the daemon anew",
            metadata: ["where": "\(names.joined(separator: ", "))"])
        })
    }
  }
}
