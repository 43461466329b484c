package import LineProtocol
package import Base
package import Configuration
package import Gateway
package import Hardware
package import Logging
package import NIOPosix
package import OperatingSystem
package import Ports
package import Serving

/// A feature of the daemon: one way in which locations or commands enter or leave, for example MQTT or a serial port. A
/// feature has settings in `onefix.toml`, checks of the machine, and listeners and services.
///
/// A feature gets only the finished bytes for its clients, and never a position that was not sent to an app.
package protocol Feature: CheckedFeature {
  /// The count of file descriptors that the feature needs, without those for the clients of its `sharedListeners`.
  var openFiles: Int { get }
  /// The count of listeners whose clients share the remaining file descriptors of the daemon in equal parts.
  var sharedListeners: Int { get }

  /// The display beside the button; nil for a feature without one.
  var display: DisplayModule? { get }

  /// The buzzer; nil for a feature without one. The getter opens no device.
  var buzzer: GatewayDependencies.Buzzer? { get }

  /// Checks those values of the configuration that need a library, for example a public key. The daemon calls this
  /// function before any listener or device is opened.
  func checkValues() throws(ConfigurationError)

  /// Returns the problems that `onefixd check` finds in the contents of files.
  /// - Parameter found: The problems that were found without these contents.
  func contentFindings(besides found: [Finding]) -> [Finding]

  /// Returns the output of the feature that sends the time of the receiver to a clock. Nil if the feature has none, or
  /// cannot use this receiver.
  /// - Parameters:
  ///   - receiver: The configured receiver.
  ///   - port: The port to which commands are sent; nil if the receiver takes no commands.
  func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)?

  /// Creates the object that runs the feature in the daemon; nil if nothing of the feature runs there. The function
  /// opens no device and no listener.
  func running(in daemon: DaemonContext) throws -> RunningFeature?
}

extension Feature {
  package var openFiles: Int { 0 }
  package var sharedListeners: Int { 0 }
  package var display: DisplayModule? { nil }
  package var buzzer: GatewayDependencies.Buzzer? { nil }

  package func checkValues() throws(ConfigurationError) {}

  package func contentFindings(besides found: [Finding]) -> [Finding] { [] }

  package func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)? { nil }

  package func running(in daemon: DaemonContext) throws -> RunningFeature? { nil }
}

/// A feature that runs in the daemon, with its listeners and services. A reload of the configuration can change its
/// settings.
package struct RunningFeature: Sendable {
  /// The listeners of the feature. The daemon opens all of them before it reports that it is ready. A listener that
  /// cannot be opened is tried again later.
  package var listeners: [ListenerPlan] = []
  /// The serial ports at which an app is connected. The daemon opens all of them before it reports that it is ready.
  package var ports: [PortServer] = []
  /// The services that run until the daemon stops.
  package var services: [any Service] = []
  /// Creates an address that opens the web page of the owners once, and is valid for the returned time. Nil if the
  /// feature is not this page.
  package var pageLink: @Sendable (_ now: MonotonicInstant) -> (address: String, lifetime: Duration)? = { _ in nil }
  /// Returns whether a client that this feature has accepted may still act as its app, after a reload of the
  /// configuration.
  package var admits: @Sendable (Identity, Peer, Transport) -> Bool = { _, _, _ in false }
  /// Uses a new configuration; this function cannot fail. Before the next start, only the apps and the keys in
  /// `reloadedKeys` can differ.
  package var change: @Sendable (GatewayConfiguration) -> Void = { _ in }
}

/// A listener to open: its name, and the function that opens it.
package struct ListenerPlan: Sendable {
  /// The kind of the listener and its configured address, as in `gpsd:localhost:2947`.
  package var name: String
  /// Opens all server sockets of the listener, or none. Throws `ListenError`.
  package var open: @Sendable () async throws -> [any ListeningServer]

  /// Returns the address and the port of a listener as text. The host `localhost` stands for both loopback addresses.
  static func address(_ hosts: [String], _ port: Int) -> String {
    hostAndPort(hosts.count == 1 ? hosts[0] : "localhost", port)
  }
}

/// The objects and values of the daemon that a feature needs: the gateway, the configuration, and common limits.
package struct DaemonContext: Sendable {
  package let gateway: Gateway
  /// The configuration with which the daemon has started.
  package let configuration: GatewayConfiguration
  /// The path of the Unix socket for owners.
  package let ownerPath: String
  /// The maximum count of clients of each listener that shares the file descriptors of the daemon.
  package let clientLimit: Int
  /// The limits for connections that have not authenticated yet. All listeners of the line protocol share them.
  package let admission: AdmissionControl
  /// The problems because of which a serial port stays closed until the next start of the daemon.
  package let closedPorts: [Finding]
  /// An event that occurs when the listeners of the daemon accept connections.
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

  /// Returns whether a serial port stays closed because of a problem.
  /// - Parameter location: The location of the port in the configuration.
  package func isClosed(_ location: ConfigurationLocation) -> Bool {
    closedPorts.contains { $0.location == location }
  }
}

extension GatewayConfiguration {
  /// The settings of one feature; nil if the configuration does not have this feature.
  func feature<Tables: ConfiguredFeature>(_ type: Tables.Type = Tables.self) -> Tables? {
    features.lazy.compactMap { $0 as? Tables }.first
  }

  /// The rules that identify apps by the Unix user or the systemd unit of their process.
  package var identityRules: [IdentityRule] {
    apps.compactMap { app in
      switch app.identity {
      case .uid(let uid): IdentityRule(app: app.id, holder: .uid(uid))
      case .unit(let unit): IdentityRule(app: app.id, holder: .unit(unit))
      case .unknownUser, nil: nil
      }
    }
  }

  /// Returns the identity rules of one app (its Unix user or systemd unit), for a listener that only this app may use.
  func identityRules(of app: AppID) -> IdentityRules { IdentityRules(apps: identityRules.filter { $0.app == app }) }
}
