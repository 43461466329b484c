package import Logging
package import OperatingSystem

/// The loggers of the daemon, one for each subsystem of the gateway.
package struct Loggers: Sendable {
  private let loggers: [Subsystem: Logger]

  package init(_ logger: (Subsystem) -> Logger) {
    loggers = Dictionary(uniqueKeysWithValues: Subsystem.allCases.map { ($0, logger($0)) })
  }

  func log(_ message: LogMessage) {
    let metadata = Logger.Metadata(uniqueKeysWithValues: message.metadata.map { ($0, .string($1)) })
    loggers[message.subsystem]?.log(
      level: message.level, "\(message.text)", metadata: metadata, file: message.file,
      function: message.function, line: message.line)
  }
}
