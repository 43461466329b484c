package import Logging
import Synchronization

/// A log that records its messages with their metadata.
package final class RecordingLog: Sendable {
  private let lines = Mutex<[String]>([])
  private let level: Logger.Level

  /// - Parameter level: the lowest level of a recorded message.
  package init(_ level: Logger.Level = .trace) { self.level = level }

  package var all: [String] { lines.withLock { $0 } }

  package var logger: Logger { Logger(label: "test") { _ in Handler(log: self, logLevel: self.level) } }

  private struct Handler: LogHandler {
    let log: RecordingLog
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
  }
}
