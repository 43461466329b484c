import Clocks
import Gateway
import ServiceLifecycle
import ServiceNotification
import SystemClock
import UnixSignals

/// Reads the configuration again at SIGHUP, and tells the service manager of it.
struct ReloadService: Service {
  let gateway: Gateway

  func run() async throws {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      let microseconds = SystemClock.monotonic.nanoseconds / 1000
      ServiceManager.own.notify("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
      do {
        let waiting = try await gateway.reload()
        let rest = waiting.isEmpty ? "" : "; from the next start on: \(waiting.joined(separator: ", "))"
        ServiceManager.own.notify("READY=1\nSTATUS=the configuration was read again\(rest)")
      } catch {
        // It has said why; what was in force is.
        ServiceManager.own.notify("READY=1\nSTATUS=the configuration on the disk is not good: that before it holds")
      }
    }
  }
}
