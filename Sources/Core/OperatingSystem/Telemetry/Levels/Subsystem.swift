/// An area of the daemon that has its own log level. The raw value is the label of its loggers.
package enum Subsystem: String, Hashable, Sendable, CaseIterable {
  /// The authorization of apps, and everything without a label of its own, for example the configuration.
  case gateway
  /// The GNSS receiver: its port, settings and power supply.
  case receiver
  case button
  /// The LED that shows the use of the location, and the check that users can see the LED.
  case indicator
  /// The database with the authorizations of apps and the log of fixes that apps received.
  case store
  case regions
  /// The connections of apps and other clients over sockets and serial ports.
  case server
  /// The connections to MQTT brokers, and the saved fixes that wait for a broker.
  case broker
  /// The files and web servers to which the gateway sends a fix at each press of the button.
  case output
  case console
}
