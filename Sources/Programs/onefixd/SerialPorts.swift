import Configuration
import Connections
import LineServer
import Logging
import NIOPosix
import SerialPorts

extension SerialLinePort: LinePort {}

extension PortServer {
  /// Creates the server of a serial port from a `[[serial]]` table.
  convenience init(_ settings: SerialSettings, group: MultiThreadedEventLoopGroup, logger: Logger) {
    self.init(path: settings.port, app: settings.app, group: group, logger: logger) {
      try SerialLinePort(path: settings.port, speed: settings.baud, isModem: settings.isModem)
    }
  }
}
