import Features
import Gateway
import Hardware
import Logging
import OperatingSystem

/// Sends regular signs of life to the watchdog of the service manager, while the gateway, the buttons and the GNSS
/// receiver reply.
struct WatchdogService: Service {
  let watchdog: Watchdog
  let gateway: Gateway
  let logger: Logger

  func run(until stop: OneTimeEvent) async throws {
    var parts = [Watchdog.Part("gateway") { [gateway] in await gateway.answer() }]
    for (name, reader) in gateway.readers { parts.append(Watchdog.Part(name) { await reader.respond() }) }
    try await stop.cancelling { [parts] in
      await watchdog.run(
        parts, isAlive: { await ServiceManager.own.notifyReliably("WATCHDOG=1") },
        isStuck: { names in
          logger.critical(
            "a part of the daemon hangs: no notification until it replies, so the service manager restarts the daemon",
            metadata: ["where": "\(names.joined(separator: ", "))"])
        })
    }
  }
}
