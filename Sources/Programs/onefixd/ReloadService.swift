import Clocks
import Gateway
import ServiceLifecycle
import Telemetry
import OperatingSystem

/// Reads the configuration again at SIGHUP, and tells the service manager of it.
struct ReloadService: Service {
  let gateway: Gateway
  let signals: Signals

  func run() async throws {
    for await _ in signals.reloads.cancelOnGracefulShutdown() {
      let microseconds = SystemClock.monotonic.nanoseconds / 1000
      await ServiceManager.own.insist("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
      // Where it was not taken it has said why, and so does the status; what was in force is.
      _ = try? await gateway.reload()
      let status = await gateway.currentStatus()
      await ServiceManager.own.insist("READY=1\nSTATUS=\(status)")
    }
  }
}
