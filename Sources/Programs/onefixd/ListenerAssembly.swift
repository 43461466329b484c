import Configuration
import Connections
import Features
import GPSDProtocol
import GPSDServer
import Gateway
import LineProtocol
import LineServer
import Logging
import NIOCore
import NIOPosix
import OneFixClient
import OperatingSystem
import OwnerPage
import Ports

/// Creates the listeners without which the gateway works, from the configuration.
struct ListenerAssembly {
  let configuration: GatewayConfiguration
  let admissions: Admissions
  let gateway: Gateway
  let pageAuthenticator: PageAuthenticator
  let ownerPath: String
  /// The maximum number of clients of each listener.
  let limit: Int
  let admission: AdmissionControl
  let features: [ListenerPlan]
  let logger: Logger
  private let group = MultiThreadedEventLoopGroup.singleton

  init(
    _ configuration: GatewayConfiguration, _ admissions: Admissions, _ gateway: Gateway,
    _ pageAuthenticator: PageAuthenticator, ownerPath: String, limit: Int, _ admission: AdmissionControl,
    features: [ListenerPlan], logger: Logger
  ) {
    self.configuration = configuration
    self.admissions = admissions
    self.gateway = gateway
    self.pageAuthenticator = pageAuthenticator
    self.ownerPath = ownerPath
    self.limit = limit
    self.admission = admission
    self.features = features
    self.logger = logger
  }

  /// The listeners. Their names are different, also if several listeners use any free port.
  var listeners: [OptionalListener] {
    var counts: [String: Int] = [:]
    return (sockets + network + gpsd + features + page).map { plan in
      counts[plan.name, default: 0] += 1
      let count = counts[plan.name] ?? 1
      let name = count == 1 ? plan.name : "\(plan.name)#\(count)"
      return OptionalListener(name, open: plan.open) { [gateway] fault in await gateway.note(name, fault) }
    }
  }

  /// The sockets of single apps.
  private var sockets: [ListenerPlan] {
    configuration.sockets.compactMap { settings in
      guard let rules = admissions.sockets[settings.path] else { return nil }
      return lines("unix:\(settings.path)") { Listener.app(path: settings.path, rules) }
    }
  }

  /// The listeners over TCP and TLS.
  private var network: [ListenerPlan] {
    configuration.listeners.map { settings in
      let transport = settings.tls == nil ? Transport.tcp : .tls
      return lines("\(transport.rawValue):\(hostAndPort(settings.host, settings.port))") { [admissions] in
        let address = try SocketAddress(ipAddress: settings.host, port: settings.port)
        guard let tls = settings.tls else { return .tcp(address) }
        return .tls(address, TLSFiles(tls), certificates: admissions.certificates)
      }
    }
  }

  private func lines(_ name: String, _ listener: @escaping @Sendable () throws -> Listener) -> ListenerPlan {
    ListenerPlan(name: name) { [gateway, limit, admission, group, logger] in
      [
        try await LineServer(
          try listener(), for: gateway, limit: limit, admission: admission, group: group, logger: logger)
      ]
    }
  }

  /// The listener for clients of gpsd. Empty if it is not configured.
  private var gpsd: [ListenerPlan] {
    guard let settings = configuration.gpsdServer else { return [] }
    return [
      ListenerPlan(name: "gpsd:\(Self.address(settings.hosts, settings.port))") {
        [gateway, rules = admissions.gpsd, limit, group, logger] in
        try await openServers(on: settings.hosts, port: settings.port) { address in
          try await GPSDServer(
            Self.gpsd, on: .address(address), rules, for: gateway, limit: limit, group: group, logger: logger)
        }
      }
    ]
  }

  private static let gpsd = GPSDServer.Dialect(
    transport: .gpsd, hasCommands: true, table: "[gpsd_server]", appKey: "apps",
    remedy: "is gpsd running? sudo systemctl disable --now gpsd.socket gpsd.service, or choose another 'port' in "
      + "[gpsd_server]"
  ) { GPSDEmulator(gateway: Release.version, isApp: $0) }

  private var page: [ListenerPlan] {
    guard let settings = configuration.page else { return [] }
    let service = PageService(gateway: .unix(ownerPath), language: configuration.language, logger: logger) {
      [gateway] in await gateway.changes()
    }
    let hosts = ListenEndpoint.loopbackHosts
    return [
      ListenerPlan(name: "page:\(Self.address(hosts, settings.port))") { [pageAuthenticator, group, logger] in
        try await PageServer.open(
          on: hosts, port: settings.port, pageAuthenticator, service, group: group, logger: logger)
      }
    ]
  }

  /// Returns the text for the addresses of a listener: `localhost` stands for both loopback addresses.
  private static func address(_ hosts: [String], _ port: Int) -> String {
    hostAndPort(hosts.count == 1 ? hosts[0] : "localhost", port)
  }
}

extension TLSFiles {
  init(_ settings: ListenSettings.TLS) {
    self.init(certificate: settings.certificate, privateKey: settings.privateKey, clientCA: settings.clientCA)
  }
}
