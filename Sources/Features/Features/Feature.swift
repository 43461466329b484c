package import Configuration
package import Gateway
package import Hardware
package import Logging
package import MachineChecks

/// A way in or out of the gateway, with everything that belongs to it: its table of `onefix.toml`, its checks of the
/// machine, and its part of the running gateway. A feature receives no fix. It gets only the data of its outputs.
package protocol Feature: CheckedFeature {
  /// Reads the feature's table. Nil if the file has no such table, or if the table has an error, which the table reports.
  init?(reading root: TOMLTable)

  /// Returns the feature's output of the receiver's time; nil if the feature has none, or cannot use this receiver.
  /// - Parameter port: the receiver's port; nil if it takes no commands.
  func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)?

  /// Returns the services of the feature, which run until the daemon stops.
  func services(of gateway: Gateway, _ logger: Logger) -> [any Service]
}

extension Feature {
  package func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)? { nil }

  package func services(of gateway: Gateway, _ logger: Logger) -> [any Service] { [] }
}
