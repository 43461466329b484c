import Base
import Features
import Gateway
import OperatingSystem

/// Reads the configuration again after the signal SIGHUP, and tells the service manager before and after.
struct ReloadService: Service {
  let gateway: Gateway
  let signals: Signals

  func run(until stop: OneTimeEvent) async throws {
    try await stop.cancelling {
      for await _ in signals.reloads {
        let microseconds = SystemClock.monotonic.nanoseconds / 1000
        await ServiceManager.own.notifyReliably("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
        // If the reload fails, the status line reports the failure, and the previous configuration stays in effect.
        _ = try? await gateway.reload()
        let status = await gateway.currentStatus()
        await ServiceManager.own.notifyReliably("READY=1\nSTATUS=\(status)")
      }
    }
  }
}
