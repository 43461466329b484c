package import Configuration
package import Features
package import Gateway
package import Logging

/// The settings of `[metrics]`: the file to which metrics are written.
package struct MetricsFeature: Feature {
  package let file: String
  /// The time between two writes of the file, in whole seconds, 1...3600.
  package let interval: Duration
  package let location: ConfigurationLocation

  package init?(reading root: TOMLTable) {
    guard let table = root.table("metrics") else { return nil }
    defer { table.finish() }
    let path = table.path("file")
    interval = .seconds(table.integer("interval_s", in: 1...3600)?.value ?? 15)
    guard let path else {
      table.require("file")
      return nil
    }
    file = path.value
    location = table.location(of: path)
  }

  package func services(of gateway: Gateway, _ logger: Logger) -> [any Service] {
    [MetricsService(gateway: gateway, settings: self, logger: logger)]
  }
}
