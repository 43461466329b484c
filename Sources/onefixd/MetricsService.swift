import BoardProfile
import Clocks
import Gateway
import JournalLogging
import LinuxMachine
import LogLevels
import Logging
import MetricsFile
import OpenMetrics
import ServiceLifecycle
import SystemClock

/// Writes the metrics to their file, again and again, until the daemon stops: then the file goes.
struct MetricsService: Service {
  let gateway: Gateway
  let settings: MetricsSettings
  let logger: Logger

  func run() async throws {
    let file = MetricsFile(path: settings.file)
    await cancelWhenGracefulShutdown {
      var told: MetricsFileError?
      while !Task.isCancelled {
        do throws(MetricsFileError) {
          try file.write(await gateway.metrics().text)
          told = nil
        } catch {
          if error != told { logger.warning("metrics are not written", metadata: ["cause": "\(error)"]) }
          told = error
        }
        do { try await SystemClock.sleep(until: SystemClock.monotonic + settings.interval) } catch { return }
      }
    }
    file.remove()
  }
}

extension LogOutput {
  /// What is told in numbers of the log, and of the process.
  var families: [MetricFamily] {
    let counts = counts
    let messages = Dictionary(uniqueKeysWithValues: LogLevel.allCases.map { ($0.rawValue, counts.messages[$0] ?? 0) })
    return [
      .counter("onefix_log_messages", "Messages that were logged, by level.").with(messages, by: "level"),
      .counter("onefix_log_messages_lost", "Messages that the journal did not take.").with(counts.lost),
    ] + (ProcessUsage.own?.families ?? [])
  }
}
