/// An area of the daemon that has its own log level. The raw value is the label of the loggers of this area.
package enum Subsystem: String, Hashable, Sendable, CaseIterable {
  /// Requests, presses of the button, prompts, keys, the kill switch, the configuration, and the checks at the start.
  case gateway
  /// The GNSS receiver: its port, settings and power supply.
  case receiver
  case button
  /// The indicator (LED), and the check whether users can see the indicator.
  case indicator
  /// The database: authorizations, and the log of fixes that apps received.
  case store
  case regions
  /// Sockets, listeners and serial ports, with their clients, including clients of gpsd.
  case server
  /// MQTT brokers, and the fixes that wait for the brokers.
  case broker
  /// Files and web servers that get a fix by each press of the button.
  case output
  case console
}
