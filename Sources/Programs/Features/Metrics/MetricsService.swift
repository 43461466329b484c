import Base
import Gateway
import Logging
import OperatingSystem

extension MetricsFeature: Feature {
  func running(in daemon: DaemonContext) -> RunningFeature? {
    RunningFeature(services: [
      MetricsService(gateway: daemon.gateway, settings: self, logger: daemon.logger(.gateway))
    ])
  }
}

/// The service that writes the metrics file at regular intervals, and removes the file at the end of the daemon.
struct MetricsService: Service {
  let gateway: Gateway
  let settings: MetricsFeature
  let logger: Logger

  func run(until stop: OneTimeEvent) async throws {
    let file = MetricsFile(path: settings.file)
    try await stop.cancelling {
      var reported: MetricsFileError?
      while !Task.isCancelled {
        let text = await gateway.metrics().text
        // The thread pool writes the file, because a write to a slow storage card can take a long time.
        switch await onThread({ () throws(MetricsFileError) in try file.write(text) }) {
        case .success?: reported = nil
        case .failure(let error)?:
          if error != reported { logger.warning("cannot write the metrics", metadata: ["cause": "\(error)"]) }
          reported = error
        case nil: return
        }
        do { try await SystemClock.sleep(until: SystemClock.monotonic + settings.interval) } catch { return }
      }
    }
    file.remove()
  }
}
