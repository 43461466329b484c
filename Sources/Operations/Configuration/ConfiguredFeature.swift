package import LineProtocol

/// The settings of a feature (an optional interface of the gateway) in `onefix.toml`, for example of the listener for
/// NMEA clients.
package protocol ConfiguredFeature: Hashable, Sendable {
  /// The name of the TOML table with the settings of the feature, for example `nmea`.
  static var table: String { get }
  /// The keys of the TOML table whose changes take effect when the daemon reloads the configuration, without a restart.
  static var reloadedKeys: Set<String> { get }
  /// Whether the file `board.toml` may also contain the TOML table of the feature. The table in `onefix.toml` has
  /// priority.
  static var isOfBoards: Bool { get }
  /// Whether the feature authenticates the app in its key `app`, for example by a serial port. The table `[[app]]` then
  /// needs no user, unit, key or certificate.
  static var identifiesApp: Bool { get }

  /// Reads the TOML tables of the feature, and reports each error to the diagnostics of the file. Returns nil if the
  /// file has no valid table of the feature.
  /// - Parameter configuration: The settings that several features need: the apps, the language and the gateway's name.
  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration)

  /// The Unix sockets that the feature opens for a single app each.
  var sockets: [AppSocket] { get }
  /// The network addresses on which the feature listens, and the files that the feature needs for itself. `sockets` are
  /// not included.
  var claims: [Claim] { get }
  /// The proofs of identity that the feature accepts from an app over a network.
  var proofs: Set<AppProof> { get }
}

extension ConfiguredFeature {
  package static var reloadedKeys: Set<String> { [] }
  package static var isOfBoards: Bool { false }
  package static var identifiesApp: Bool { false }
  package var sockets: [AppSocket] { [] }
  package var claims: [Claim] { [] }
  package var proofs: Set<AppProof> { [] }
}

/// A proof of an app's identity over a network. The raw value is the key of the table `[[app]]`.
package enum AppProof: String, Hashable, Sendable {
  case key
  case certificate
}

/// A Unix socket of the gateway for the clients of one app.
package struct AppSocket: Hashable, Sendable {
  package var path: String
  package var app: AppID
  /// Whether the app can send requests over the socket. If false, the app only receives.
  package var takesRequests: Bool
  package var location: ConfigurationLocation

  package init(path: String, app: AppID, takesRequests: Bool, location: ConfigurationLocation) {
    self.path = path
    self.app = app
    self.takesRequests = takesRequests
    self.location = location
  }
}

/// A network address, a Unix socket or a file that only one table of the configuration can use.
package struct Claim: Hashable, Sendable {
  fileprivate let endpoint: ListenEndpoint
  fileprivate let location: ConfigurationLocation

  package init(_ endpoint: ListenEndpoint, at location: ConfigurationLocation) {
    self.endpoint = endpoint
    self.location = location
  }

  /// Creates the claim to a file. A file and a socket cannot have the same path.
  package init(file path: String, at location: ConfigurationLocation) { self.init(.socket(path), at: location) }
}

extension [any ConfiguredFeature] {
  /// The claims of all features, with those to the Unix sockets of single apps.
  private var allClaims: [Claim] {
    flatMap { $0.sockets.map { Claim(.socket($0.path), at: $0.location) } + $0.claims }
  }

  /// Reports an error for each table that needs the path of a Unix socket of the daemon itself.
  /// - Parameter own: The paths of the socket for all apps and of the socket for owners.
  func checkClaims(apartFrom own: [String], _ diagnostics: Diagnostics) {
    for claim in allClaims {
      guard case .socket(let path) = claim.endpoint, own.contains(path) else { continue }
      diagnostics.report(
        claim.location.line, "\(path) is a socket of all apps or of the owners (choose another path)")
    }
  }

  /// Reports an error for each table that needs an address or a path of another table.
  func checkClaims(_ diagnostics: Diagnostics) {
    var earlier: [Claim] = []
    // A port on both loopback addresses has two claims, but gets one error.
    var reported: Set<ConfigurationLocation> = []
    for claim in allClaims {
      defer { earlier.append(claim) }
      guard let first = earlier.first(where: { $0.endpoint.conflicts(with: claim.endpoint) }),
        reported.insert(claim.location).inserted
      else { continue }
      let line = first.location.line ?? 0
      diagnostics.report(
        claim.location.line,
        first.endpoint == claim.endpoint
          ? "\(claim.endpoint) is configured twice (also in line \(line))"
          : "\(claim.endpoint) needs the port of \(first.endpoint) in line \(line) (choose another port)")
    }
  }
}
