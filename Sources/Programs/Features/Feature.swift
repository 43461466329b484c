import Authorization
package import Base
package import Configuration
package import Gateway
package import Hardware
package import LineProtocol
package import Logging
package import NIOPosix
package import OperatingSystem
package import Ports
package import Serving

/// A way in or out of the gateway, with everything that belongs to it: its tables of `onefix.toml`, its checks of the
/// machine, and its listeners, ports and services in the daemon. A feature never gets a position that was not disclosed:
/// it gets the finished bytes of its outputs.
package protocol Feature: CheckedFeature {
  /// The number of open files that the feature needs. The clients of `sharedListeners` do not count.
  var openFiles: Int { get }
  /// The number of listeners among which the daemon divides the remaining open files.
  var sharedListeners: Int { get }

  /// The module of the feature that shows texts beside the button; nil for every other feature.
  var display: DisplayModule? { get }

  /// The buzzer of the feature; nil for every other feature. The property does not open anything.
  var buzzer: GatewayDependencies.Buzzer? { get }

  /// Checks the values that the reader of the configuration cannot check, because the reader uses no library. The
  /// daemon calls the function before it opens anything.
  func checkValues() throws(ConfigurationError)

  /// Returns the findings of `onefixd check` for which the program reads the contents of files.
  /// - Parameter found: the other findings.
  func contentFindings(besides found: [Finding]) -> [Finding]

  /// Returns the feature's output of the receiver's time; nil if the feature has none, or cannot use this receiver.
  /// - Parameter port: the receiver's port; nil if it takes no commands.
  func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)?

  /// Returns the running feature; nil if the feature has nothing that runs. The function does not open anything.
  func running(in daemon: DaemonContext) throws -> (any RunningFeature)?
}

extension Feature {
  package var openFiles: Int { 0 }
  package var sharedListeners: Int { 0 }
  package var display: DisplayModule? { nil }
  package var buzzer: GatewayDependencies.Buzzer? { nil }

  package func checkValues() throws(ConfigurationError) {}

  package func contentFindings(besides found: [Finding]) -> [Finding] { [] }

  package func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)? { nil }

  package func running(in daemon: DaemonContext) throws -> (any RunningFeature)? { nil }
}

/// A feature in the daemon. It begins with the configuration of the start, and a reload can change its configuration.
package protocol RunningFeature: Sendable {
  /// The optional listeners. The daemon opens them before it is ready. If a listener cannot be opened, the daemon tries
  /// again later.
  var listeners: [ListenerPlan] { get }
  /// The serial ports of apps. The daemon opens them before it is ready.
  var ports: [PortServer] { get }
  /// The services that run until the daemon stops.
  var services: [any Service] { get }

  /// Creates a link that opens the owners' page once; nil if the feature is no page.
  func pageLink(at now: MonotonicInstant) -> (address: String, lifetime: Duration)?

  /// Returns whether a client that this feature has accepted may continue to act as its app.
  func admits(_ identity: Identity, _ peer: Peer, over transport: Transport) -> Bool

  /// Puts a new configuration in force. Only the keys `reloadedKeys` and the apps can change before the next start.
  /// This operation cannot fail.
  func change(to configuration: GatewayConfiguration)
}

extension RunningFeature {
  package var listeners: [ListenerPlan] { [] }
  package var ports: [PortServer] { [] }
  package var services: [any Service] { [] }
  package func pageLink(at now: MonotonicInstant) -> (address: String, lifetime: Duration)? { nil }
  package func admits(_ identity: Identity, _ peer: Peer, over transport: Transport) -> Bool { false }
  package func change(to configuration: GatewayConfiguration) {}
}

/// The name of a listener, and the function that opens its servers.
package struct ListenerPlan: Sendable {
  /// The kind and the configured address of the listener, as in `gpsd:localhost:2947`.
  package var name: String
  /// Opens all servers of the listener, or none. Throws `ListenError`.
  package var open: @Sendable () async throws -> [any ListeningServer]

  /// Returns the text for the addresses of a listener: `localhost` stands for both loopback addresses.
  static func address(_ hosts: [String], _ port: Int) -> String {
    hostAndPort(hosts.count == 1 ? hosts[0] : "localhost", port)
  }
}

/// The objects and values of the daemon that a feature needs.
package struct DaemonContext: Sendable {
  package let gateway: Gateway
  /// The configuration of the start.
  package let configuration: GatewayConfiguration
  /// The path of the owners' socket.
  package let ownerPath: String
  /// The maximum number of clients of each shared listener.
  package let clientLimit: Int
  /// The limits of connections that have not authenticated, which all listeners of the line protocol share.
  package let admission: AdmissionControl
  /// The findings about serial ports that stay closed until the next start.
  package let closedPorts: [Finding]
  /// The event that the sockets accept connections.
  package let ready: OneTimeEvent
  package let group = MultiThreadedEventLoopGroup.singleton

  package init(
    gateway: Gateway, configuration: GatewayConfiguration, ownerPath: String, clientLimit: Int,
    admission: AdmissionControl, closedPorts: [Finding], ready: OneTimeEvent
  ) {
    self.gateway = gateway
    self.configuration = configuration
    self.ownerPath = ownerPath
    self.clientLimit = clientLimit
    self.admission = admission
    self.closedPorts = closedPorts
    self.ready = ready
  }

  package func logger(_ subsystem: Subsystem) -> Logger { Logger(label: subsystem.rawValue) }

  /// Returns whether a finding keeps the serial port closed whose configuration has this location.
  package func isClosed(_ location: ConfigurationLocation) -> Bool {
    closedPorts.contains { $0.location == location }
  }
}

extension GatewayConfiguration {
  /// The configured tables of a feature; nil if the file has none.
  func feature<Tables: ConfiguredFeature>(_ type: Tables.Type = Tables.self) -> Tables? {
    features.lazy.compactMap { $0 as? Tables }.first
  }

  /// The rules that identify an app by the user or the unit of its process.
  package var identityRules: [IdentityRule] {
    apps.compactMap { app in
      switch app.identity {
      case .uid(let uid): IdentityRule(app: app.id, holder: .uid(uid))
      case .unit(let unit): IdentityRule(app: app.id, holder: .unit(unit))
      case .unknownUser, nil: nil
      }
    }
  }

  /// Returns the rules of a listener for one app.
  func identityRules(of app: AppID) -> IdentityRules { IdentityRules(apps: identityRules.filter { $0.app == app }) }
}
