import Clocks
import Gateway
import ServiceLifecycle
import Telemetry
import OperatingSystem

/// Reloads the configuration on SIGHUP and notifies the service manager.
struct ReloadService: Service {
  let gateway: Gateway
  let signals: Signals

  func run() async throws {
    for await _ in signals.reloads.cancelOnGracefulShutdown() {
      let microseconds = SystemClock.monotonic.nanoseconds / 1000
      await ServiceManager.own.notifyReliably("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
      // A failed reload is already logged and shown in the status. The previous configuration stays in effect.
      _ = try? await gateway.reload()
      let status = await gateway.currentStatus()
      await ServiceManager.own.notifyReliably("READY=1\nSTATUS=\(status)")
    }
  }
}
