import Configuration
import Connections
import LineServer
import SerialPorts
import Telemetry

extension SerialLinePort: LinePort {}

extension SerialFeature: Feature {
  /// For each port: one open file for the port, two for its channel, and one for its lock file for a short time.
  var openFiles: Int { ports.count * 4 }

  func running(in daemon: DaemonContext) -> (any RunningFeature)? {
    AppPorts(
      ports: ports.filter { !daemon.isClosed($0.portLocation) }.map { settings in
        PortServer(path: settings.port, app: settings.app, group: daemon.group, logger: daemon.logger(.server)) {
          try SerialLinePort(path: settings.port, speed: settings.baud, isModem: settings.isModem)
        }
      })
  }
}

/// The open serial ports of apps.
struct AppPorts: RunningFeature {
  let ports: [PortServer]
}
