/// A part of the daemon whose messages may have a level of their own. Loggers have its name as their label.
package enum Subsystem: String, Hashable, Sendable, CaseIterable {
  /// Requests, grants, prompts, keys, the kill switch, the configuration, and what is found at the start.
  case gateway
  /// The receiver: its port, its settings, its supply.
  case receiver
  case button
  /// The light, and whether it can be seen.
  case indicator
  /// What is on the disk: rights, and the log of disclosures.
  case store
  case regions
  /// Sockets, listeners and ports, who connects to them, and clients of gpsd.
  case server
  /// Brokers of MQTT, and what waits for them.
  case broker
  /// The owner's terminal.
  case console
}

/// How much a message matters, the least first.
package enum LogLevel: String, Hashable, Sendable, CaseIterable {
  case trace, debug, info, notice, warning, error, critical
}
