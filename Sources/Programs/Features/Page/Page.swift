import Configuration
import Gateway
import OneFixClient
import OperatingSystem

extension PageFeature: Feature {
  var objects: [MachineObject] { endpoints.map { .endpoint($0) } }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    endpoints.flatMap { endpoint in
      machine.listenFindings(
        endpoint, role: "page", words: "the page's address ", at: location,
        remedy: "stop it, or choose another 'port' in [page]")
    }
  }

  var openFiles: Int { PageServer.descriptors }

  func running(in daemon: DaemonContext) -> RunningFeature? {
    let authenticator = PageAuthenticator()
    let logger = daemon.logger(.server)
    let service = PageService(
      gateway: .unix(daemon.ownerPath), language: daemon.configuration.language, logger: logger
    ) { [gateway = daemon.gateway] in await gateway.changes() }
    let hosts = ListenEndpoint.loopbackHosts
    let listener = ListenerPlan(name: "page:\(ListenerPlan.address(hosts, port))") { [port] in
      try await PageServer.open(on: hosts, port: port, authenticator, service, group: daemon.group, logger: logger)
    }
    return RunningFeature(listeners: [listener], pageLink: { authenticator.makeLink(at: SystemClock.reading.boot) })
  }
}
