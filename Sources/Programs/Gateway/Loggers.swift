package import Telemetry
package import Logging

/// The loggers of the gateway's subsystems.
package struct Loggers: Sendable {
  let gateway: Logger
  let receiver: Logger
  let button: Logger
  let indicator: Logger
  let store: Logger
  let regions: Logger
  let server: Logger
  let broker: Logger

  package init(_ logger: (Subsystem) -> Logger) {
    gateway = logger(.gateway)
    receiver = logger(.receiver)
    button = logger(.button)
    indicator = logger(.indicator)
    store = logger(.store)
    regions = logger(.regions)
    server = logger(.server)
    broker = logger(.broker)
  }

  func log(_ message: LogMessage) {
    let metadata = Logger.Metadata(uniqueKeysWithValues: message.metadata.map { ($0, .string($1)) })
    self[message.subsystem].log(
      level: message.level, "\(message.text)", metadata: metadata, file: message.file,
      function: message.function, line: message.line)
  }

  private subscript(subsystem: Subsystem) -> Logger {
    switch subsystem {
    case .gateway: gateway
    case .receiver: receiver
    case .button: button
    case .indicator: indicator
    case .store: store
    case .regions: regions
    case .server: server
    case .broker: broker
    case .console: gateway
    }
  }
}
