import Configuration
import LineProtocol
import OperatingSystem
import Ports

extension HTTPFeature: Feature {
  /// The count of file descriptors, six for each table: the connection, and for a short time a second connection, a
  /// name lookup, and files.
  var openFiles: Int { outputs.count * 6 }

  func running(in daemon: DaemonContext) -> RunningFeature? {
    RunningFeature(
      services: outputs.map { output in
        let topics = BridgeTopics(gateway: daemon.configuration.gateway, app: output.app.name)
        let form = output.address.form(of: output.app, as: output.format, topics)
        let target = WebOutput(
          address: output.address, format: output.format, topics: topics, credentials: output.credentials,
          client: WebClient(server: output.address.server, ca: output.ca))
        return daemon.running(
          EachPressOutput(form, of: output.app, over: .http, to: target, logger: daemon.logger(.output)))
      })
  }
}
