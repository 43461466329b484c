import Configuration
import Features
import Gateway
import LineProtocol
import OperatingSystem
import Ports
import Serving

/// The objects of the daemon that a reload of the configuration changes: features, listeners, apps, and the rules that
/// identify an app by its Unix user.
final class RunningParts: Sendable {
  /// The rules that identify an app by its Unix user or systemd unit, on the Unix socket that apps share. An app with a
  /// socket of its own is not in these rules.
  let rules: Reloadable<IdentityRules>
  private let apps: Reloadable<Set<AppID>>
  /// The running features and their listeners; both empty until `create(_:in:)` is called.
  private let opened = Reloadable<(features: [RunningFeature], listeners: [OptionalListener])>(([], []))

  var features: [RunningFeature] { opened.value.features }
  var listeners: [OptionalListener] { opened.value.listeners }

  init(_ configuration: GatewayConfiguration, anyAppUID: UInt32?) {
    rules = Reloadable(configuration.sharedSocketRules(anyAppUID: anyAppUID))
    apps = Reloadable(configuration.appIDs)
  }

  /// Creates the running features and their listeners, which stay closed at first.
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

  /// Puts a new configuration in use.
  /// - Parameters:
  ///   - configuration: The new configuration.
  ///   - anyAppUID: The user ID whose processes may act as any app; nil for none.
  func change(to configuration: GatewayConfiguration, anyAppUID: UInt32?) {
    rules.value = configuration.sharedSocketRules(anyAppUID: anyAppUID)
    apps.value = configuration.appIDs
    for feature in features { feature.change(configuration) }
    for listener in listeners { listener.reload() }
  }

  /// Returns whether a client may still act as its app after a reload of the configuration.
  ///
  /// A client with a key, at a serial port or at a broker needs only an app in the configuration. The keys are checked
  /// elsewhere.
  func admits(_ identity: Identity, _ peer: Peer, over transport: Transport) -> Bool {
    switch identity.proof {
    case .key, .token: return apps.value.contains(identity.app)
    case .transport where !transport.identifiesProcess: return apps.value.contains(identity.app)
    case .transport where transport == .unix && rules.value.admits(identity, peer): return true
    case .transport, .certificate: return features.contains { $0.admits(identity, peer, transport) }
    }
  }

  /// A new single-use address for the web page of owners (administrators), and the time for which the address is valid;
  /// nil if the page is not served.
  var pageLink: (address: String, lifetime: Duration)? {
    features.lazy.compactMap { $0.pageLink() }.first
  }
}

extension GatewayConfiguration {
  fileprivate var appIDs: Set<AppID> { Set(apps.map(\.id)) }

  /// Returns the rules that identify an app by its Unix user or systemd unit, on the Unix socket that apps share. An
  /// app with a socket of its own is left out.
  /// - Parameter anyAppUID: The user ID whose processes may act as any app; nil for none.
  fileprivate func sharedSocketRules(anyAppUID: UInt32?) -> IdentityRules {
    let own = Set(features.flatMap(\.sockets).filter(\.takesRequests).map(\.app))
    return IdentityRules(apps: identityRules.filter { !own.contains($0.app) }, anyAppUID: anyAppUID)
  }
}
