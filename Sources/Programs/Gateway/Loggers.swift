package import Telemetry
package import Logging

/// What the gateway logs by, one for each subsystem of it.
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
}
