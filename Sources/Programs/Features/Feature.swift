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

/// A feature of the daemon, for example MQTT or a serial port: one way to send locations or to receive commands. A
/// feature has settings in `onefix.toml`, checks of the machine, and tasks in the daemon.
///
/// A feature gets only data that may leave the gateway, already in bytes, and never a position that no app received.
package protocol Feature: CheckedFeature {
  /// The count of file descriptors that the feature needs, without descriptors for the clients of `sharedListeners`.
  var openFiles: Int { get }
  /// The count of listeners with a limited count of clients. The daemon divides its free file descriptors equally among
  /// such listeners.
  var sharedListeners: Int { get }

  var display: DisplayModule? { get }

  /// The configured buzzer beside the button; nil for a feature without a buzzer. The getter does not open the device.
  var buzzer: GatewayDependencies.Buzzer? { get }

  /// Returns the problems that `onefixd check` finds by reading files of the feature, for example certificates. A file
  /// that this process cannot read has no such problem.
  func contentFindings(at now: UTCTime) -> [Finding]

  /// Returns the object that passes the receiver's time to a clock program, for example chrony; nil if the feature has
  /// no such object, or cannot use this receiver.
  /// - Parameter port: The serial port for commands to the receiver; nil if the receiver takes no commands.
  func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)?

  /// Creates the listeners and services of the feature for the daemon; nil if the feature has none, for example a
  /// display. The function does not open a device or a listener.
  func running(in daemon: DaemonContext) throws -> RunningFeature?
}

/// The protocol of the types in `FeatureList.swift`. The fuzzers compile the same list with a protocol that only reads
/// tables.
package typealias ListedFeature = Feature

extension Feature {
  package var openFiles: Int { 0 }
  package var sharedListeners: Int { 0 }
  package var display: DisplayModule? { nil }
  package var buzzer: GatewayDependencies.Buzzer? { nil }

  package func contentFindings(at now: UTCTime) -> [Finding] { [] }

  package func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)? { nil }

  package func running(in daemon: DaemonContext) throws -> RunningFeature? { nil }
}

/// The listeners, serial ports and services of one feature in the running daemon.
package struct RunningFeature: Sendable {
  /// The listeners of the feature. The daemon tries to open all listeners before the daemon reports its start to
  /// systemd, and later tries again to open a failed one.
  package var listeners: [ListenerPlan] = []
  /// The serial ports at which an app is connected. The daemon tries to open all ports before the daemon reports its
  /// start to systemd.
  package var ports: [PortServer] = []
  package var services: [any Service] = []
  /// Creates a one-time link to the owners' web page, and returns the link with its lifetime. The result is nil if the
  /// feature is not this web page, or if the page is not in service.
  package var pageLink: @Sendable () -> (address: String, lifetime: Duration)? = { nil }
  /// Returns whether a connected client may still act as its app after the configuration was reloaded.
  package var admits: @Sendable (Identity, Peer, Transport) -> Bool = { _, _, _ in false }
  /// Applies a reloaded configuration to the running feature. A reload can change only the apps and the keys in
  /// `reloadedKeys`; other changes wait for the next start of the daemon.
  package var change: @Sendable (GatewayConfiguration) -> Void = { _ in }
}

/// The description of a listener (a server socket for clients) that the daemon opens later.
package struct ListenerPlan: Sendable {
  /// The name in messages: the kind of the listener and its configured address, as in `gpsd:localhost:2947`.
  package var name: String
  /// Opens all server sockets of the listener. If one of them fails, the function closes the others and throws
  /// `ListenError`.
  package var open: @Sendable () async throws -> [any ListeningServer]

  /// Returns the address and the port of a listener as text. Two loopback addresses are written as `localhost`.
  static func address(_ hosts: [String], _ port: Int) -> String {
    hostAndPort(hosts.count == 1 ? hosts[0] : "localhost", port)
  }
}

/// The objects that the daemon shares with its features: the gateway, the configuration and common limits.
package struct DaemonContext: Sendable {
  package let gateway: Gateway
  /// The configuration with which the daemon has started.
  package let configuration: GatewayConfiguration
  /// The path of the Unix socket for commands of owners (administrators).
  package let ownerPath: String
  /// The maximum count of clients at a time for each listener in `sharedListeners`.
  package let clientLimit: Int
  /// The limits for connections without authentication, which all listeners of the line protocol (OneFix's own
  /// protocol) share.
  package let admission: AdmissionControl
  /// The problems because of which the daemon does not open some serial ports before the next start of the daemon.
  package let closedPorts: [Finding]
  /// The event that the daemon's listeners accept connections.
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

  /// Returns whether the daemon must not open a serial port because of a problem.
  package func isClosed(_ location: ConfigurationLocation) -> Bool {
    closedPorts.contains { $0.location == location }
  }
}

extension GatewayConfiguration {
  /// Returns the settings of one feature; nil if the configuration does not have this feature.
  func feature<Tables: ConfiguredFeature>(_ type: Tables.Type = Tables.self) -> Tables? {
    features.lazy.compactMap { $0 as? Tables }.first
  }

  /// The rules that identify an app by the Unix user or the systemd unit of the connecting process.
  package var identityRules: [IdentityRule] {
    apps.compactMap { app in
      switch app.identity {
      case .uid(let uid): IdentityRule(app: app.id, holder: .uid(uid))
      case .unit(let unit): IdentityRule(app: app.id, holder: .unit(unit))
      case .unknownUser, nil: nil
      }
    }
  }

  /// Returns the rules that identify one app by its process, for a listener that no other app may use.
  func identityRules(of app: AppID) -> IdentityRules { IdentityRules(apps: identityRules.filter { $0.app == app }) }
}
