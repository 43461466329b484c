import Configuration
import OperatingSystem

extension Subject {
  func pageFindings(on machine: Machine) -> [Finding] {
    guard let page = configuration.page else { return [] }
    return ListenEndpoint.loopbackHosts.flatMap { host in
      machine.listenFindings(
        hostAndPort(host, page.port), title: "the page's address ", held: .pageHeld, taken: .pageTaken,
        at: page.location, remedy: "stop it, or choose another 'port' in [page]")
    }
  }
}
