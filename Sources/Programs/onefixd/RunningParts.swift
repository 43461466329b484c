import Authorization
import Configuration
import Features
import Gateway
import OperatingSystem
import Ports
import Serving

/// The objects of the daemon that a reload of the configuration changes.
final class RunningParts: Sendable {
  /// The rules of the shared socket, for the apps that have no socket of their own.
  let rules: Reloadable<IdentityRules>
  /// The apps of the latest configuration.
  private let apps: Reloadable<Set<AppID>>
  /// The running features, and the optional listeners. Both are empty until the gateway exists.
  private let opened = Reloadable<(features: [any RunningFeature], listeners: [OptionalListener])>(([], []))

  var features: [any RunningFeature] { opened.value.features }
  var listeners: [OptionalListener] { opened.value.listeners }

  init(_ configuration: GatewayConfiguration, anyAppUID: UInt32?) {
    rules = Reloadable(configuration.sharedSocketRules(anyAppUID: anyAppUID))
    apps = Reloadable(configuration.appIDs)
  }

  /// Creates the running features and their listeners, and opens nothing yet.
  func create(_ features: [any Feature], in daemon: DaemonContext) throws {
    let running = try features.compactMap { try $0.running(in: daemon) }
    var counts: [String: Int] = [:]
    let listeners = running.flatMap(\.listeners).map { plan in
      // The names are different, also if several listeners use any free port.
      counts[plan.name, default: 0] += 1
      let count = counts[plan.name] ?? 1
      let name = count == 1 ? plan.name : "\(plan.name)#\(count)"
      return OptionalListener(name, open: plan.open) { [gateway = daemon.gateway] fault in
        await gateway.note(name, fault)
      }
    }
    opened.value = (running, listeners)
  }

  /// Puts a new configuration in force.
  func change(to configuration: GatewayConfiguration, anyAppUID: UInt32?) {
    rules.value = configuration.sharedSocketRules(anyAppUID: anyAppUID)
    apps.value = configuration.appIDs
    for feature in features { feature.change(to: configuration) }
    for listener in listeners { listener.reload() }
  }

  /// Returns whether a client may continue to act as its app. For a client with a key, and for the app at a port or a
  /// broker, the function checks only whether the app is configured, because the keyring checks the key.
  func admits(_ identity: Identity, _ peer: Peer, over transport: Transport) -> Bool {
    switch identity.proof {
    case .key, .token: return apps.value.contains(identity.app)
    case .transport where !transport.identifiesProcess: return apps.value.contains(identity.app)
    case .transport where transport == .unix && rules.value.admits(identity, peer): return true
    case .transport, .certificate: return features.contains { $0.admits(identity, peer, over: transport) }
    }
  }

  /// A link that opens the owners' page once; nil if no page is open.
  var pageLink: (address: String, lifetime: Duration)? {
    features.lazy.compactMap { $0.pageLink(at: SystemClock.monotonic) }.first
  }
}

extension GatewayConfiguration {
  fileprivate var appIDs: Set<AppID> { Set(apps.map(\.id)) }

  /// Returns the rules of the shared socket, for the apps that have no socket of their own.
  /// - Parameter anyAppUID: The user whose processes may use the id of any app; nil for none.
  fileprivate func sharedSocketRules(anyAppUID: UInt32?) -> IdentityRules {
    let own = Set(features.flatMap(\.sockets).filter(\.takesRequests).map(\.app))
    return IdentityRules(apps: identityRules.filter { !own.contains($0.app) }, anyAppUID: anyAppUID)
  }
}
