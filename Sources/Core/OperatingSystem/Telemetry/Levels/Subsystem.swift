/// An area of the daemon that has a separate log level. The raw value is the label of the loggers of this area.
package enum Subsystem: String, Hashable, Sendable, CaseIterable {
  /// Requests, grants, prompts, keys, the kill switch, the configuration, and the checks when the daemon starts.
  case gateway
  /// The receiver: its port, settings and power supply.
  case receiver
  case button
  /// The indicator, and the check whether users can see the indicator.
  case indicator
  /// The database: authorizations and the disclosure log.
  case store
  case regions
  /// Sockets, listeners and serial ports, with their clients, including clients of gpsd.
  case server
  /// MQTT brokers and their queues.
  case broker
  /// Files and servers that get a fix by each press.
  case output
  case console
}
