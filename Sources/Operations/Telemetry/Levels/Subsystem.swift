/// A part of the daemon with its own log level. Its name is the label of its loggers.
package enum Subsystem: String, Hashable, Sendable, CaseIterable {
  /// Requests, grants, prompts, keys, the kill switch, the configuration and the checks at the start.
  case gateway
  /// The receiver: its port, settings and power supply.
  case receiver
  case button
  /// The indicator and its visibility.
  case indicator
  /// The database: authorizations and the disclosure log.
  case store
  case regions
  /// Sockets, listeners and serial ports with their clients, including gpsd clients.
  case server
  /// MQTT brokers and their queues.
  case broker
  /// The owner's console.
  case console
}

/// The importance of a message, lowest first.
package enum LogLevel: String, Hashable, Sendable, CaseIterable {
  case trace, debug, info, notice, warning, error, critical
}
