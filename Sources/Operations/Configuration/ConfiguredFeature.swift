package import LineProtocol

/// The settings of a feature in `onefix.toml`. A feature is an optional interface of the gateway, for example the
/// listener for NMEA clients.
package protocol ConfiguredFeature: Hashable, Sendable {
  /// The name of the feature's TOML table or tables, for example `nmea`.
  static var table: String { get }
  /// The keys of the TOML table whose changes take effect without a restart, when the daemon reloads the configuration.
  static var reloadedKeys: Set<String> { get }
  /// Whether `board.toml` can have the TOML table, too. The table there counts only if `onefix.toml` has no such table.
  static var isOfBoards: Bool { get }
  /// Whether the feature identifies the app that its key `app` names. This app then needs no user, unit, key or
  /// certificate.
  static var identifiesApp: Bool { get }

  /// Reads all TOML tables of the feature, and reports each error to the diagnostics of the file. Returns nil if the
  /// file has no such table, or no valid one.
  /// - Parameter configuration: The settings that several features need: the apps, the language and the gateway's name.
  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration)

  /// The Unix sockets of the feature that serve a single app each.
  var sockets: [AppSocket] { get }
}

extension ConfiguredFeature {
  package static var reloadedKeys: Set<String> { [] }
  package static var isOfBoards: Bool { false }
  package static var identifiesApp: Bool { false }
  package var sockets: [AppSocket] { [] }
}

/// A Unix socket that serves a single app.
package struct AppSocket: Hashable, Sendable {
  package var path: String
  package var app: AppID
  /// Whether the app can make requests at the socket. If false, the app only reads.
  package var takesRequests: Bool
  package var location: ConfigurationLocation

  package init(path: String, app: AppID, takesRequests: Bool, location: ConfigurationLocation) {
    self.path = path
    self.app = app
    self.takesRequests = takesRequests
    self.location = location
  }
}

extension [any ConfiguredFeature] {
  /// Reports an error for each socket path that two features have.
  func checkSockets(_ diagnostics: Diagnostics) {
    for index in indices {
      let earlier = self[..<index].flatMap(\.sockets)
      for socket in self[index].sockets {
        guard let first = earlier.first(where: { $0.path == socket.path }) else { continue }
        diagnostics.report(
          socket.location.line, "\(socket.path) is configured twice (also in line \(first.location.line ?? 0))")
      }
    }
  }
}
